//! Ways to measure what tasks ask for: in none of them can a group that passes a test ask for more than its SMs.
//!
//! In the long run a task asks for m·C(m)/T; within an interval of length t for m·C(m)·n/t, n being how many of its jobs are released and due
//! in it. Preemptive EDF is optimal on one partition, so whatever passes a test of deadlines passes these.

use super::super::works::Growth;
use crate::interference::{CoLocated, kind_index};
use crate::partitioning::search::Problem;
use gpusched_model::Task;
use gpusched_model::wcet::MAX_SMS;

/// One SM, in the unit of measures.
pub(super) const SM: i64 = 1 << 32;

/// Intervals looked at.
const INTERVALS: usize = 96;

/// The first of them, one from each deadline, if there are more.
const FIRST: usize = 24;

/// Sizes of their own; larger ones are looked at together, sixteen to each doubling.
const SINGLE: u32 = 16;

/// The measures, and what each task asks for.
pub(super) struct Measures<'p> {
    problem: &'p Problem<'p>,
    /// Lengths of intervals [ns].
    intervals: Vec<u64>,
    levels: Vec<Level>,
}

/// Sizes that are looked at together.
pub(super) struct Level {
    /// In shares, as searches count SMs.
    pub low: u32,
    pub high: u32,
    /// By task and class: what it asks for, by measure; nothing if it cannot be in time there.
    asks: Vec<Option<Box<[i64]>>>,
    /// How many measures those are.
    known: usize,
}

impl<'p> Measures<'p> {
    /// Those of the long run and of some deadlines, for groups of any size.
    pub fn new(problem: &'p Problem<'p>) -> Measures<'p> {
        let mut intervals = Vec::new();
        if !problem.policy().counts_work() {
            intervals = problem.tasks().iter().map(due).collect();
            intervals.retain(|&due| due > 0);
            intervals.sort_unstable();
            intervals.dedup();
        }
        if intervals.len() > FIRST {
            let of = intervals.len() - 1;
            let kept = (0..FIRST).map(|place| intervals[place * of / (FIRST - 1)]);
            intervals = kept.collect();
        }
        let mut levels = Vec::new();
        let mut low = 1;
        while low <= MAX_SMS {
            let high = match low <= SINGLE {
                true => low,
                false => (low + low / 16).min(MAX_SMS),
            };
            // Sizes that hardware does not offer are no group's smallest.
            if high > low || problem.sms_of(low) > problem.sms_of(low - 1) {
                levels.push(Level {
                    low,
                    high,
                    asks: Vec::new(),
                    known: 0,
                });
            }
            low = high + 1;
        }
        Measures {
            problem,
            intervals,
            levels,
        }
    }

    pub fn problem(&self) -> &'p Problem<'p> {
        self.problem
    }

    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    /// How many measures there are.
    pub fn count(&self) -> usize {
        1 + self.intervals.len()
    }

    /// Whether there may be more.
    pub fn grows(&self) -> bool {
        self.intervals.len() < INTERVALS && !self.problem.policy().counts_work()
    }

    /// Adds intervals of length `t` [ns].
    pub fn add(&mut self, t: u64) {
        if t > 0 && self.grows() && !self.intervals.contains(&t) {
            self.intervals.push(t);
        }
    }

    /// Level `index` with all measures known.
    pub fn level(&mut self, index: usize, growths: &[Growth]) -> &Level {
        let count = self.count();
        let classes = usize::from(self.problem.interference().classes());
        let (problem, intervals) = (self.problem, &self.intervals);
        let level = &mut self.levels[index];
        if level.known < count {
            level.asks = vec![None; problem.tasks().len() * classes];
            let mut done = vec![false; level.asks.len()];
            for growth in growths {
                let of_kind = problem.interference().class_of_each_kind(&growth.co_located);
                for (task, what) in problem.tasks().iter().enumerate() {
                    let kind = usize::from(kind_index(what.kind()));
                    let at = task * classes + usize::from(of_kind[kind]);
                    if growth.counts[kind] > 0 && !done[at] {
                        done[at] = true;
                        level.asks[at] = asks(
                            problem,
                            intervals,
                            (level.low, level.high),
                            task,
                            &growth.co_located,
                        );
                    }
                }
            }
            level.known = count;
        }
        level
    }
}

impl Level {
    /// What task number `task` asks for in company of `class`, by measure.
    pub fn asks(&self, task: usize, class: u8, classes: usize) -> Option<&[i64]> {
        self.asks[task * classes + usize::from(class)].as_deref()
    }
}

/// D − J.
fn due(task: &Task) -> u64 {
    task.deadline().ns().saturating_sub(task.jitter().ns())
}

/// What `task` asks for on `low` to `high` SMs in `co_located`, at least.
fn asks(
    problem: &Problem<'_>,
    intervals: &[u64],
    (low, high): (u32, u32),
    task: usize,
    co_located: &CoLocated,
) -> Option<Box<[i64]>> {
    let what = &problem.tasks()[task];
    let (period, due) = (what.period().ns(), due(what));
    let work = problem.least_work(task, co_located);
    let most = (i64::from(high) + 1) * SM;
    let ask = |work: u128, jobs: u64, by: u64| {
        let ask = work.saturating_mul(jobs.into()).saturating_mul(SM as u128) / u128::from(by.max(1));
        i64::try_from(ask).unwrap_or(most).min(most)
    };
    if problem.policy().counts_work() {
        return Some(Box::new([ask(work, 1, period)]));
    }
    let sms = problem.sms_of(high);
    if sms == 0 {
        return None; // no partition is so small
    }
    let wcet = problem.wcet(task, sms, co_located)?;
    if wcet.ns() > due {
        return None;
    }
    let work = match low == high {
        true => u128::from(low) * u128::from(wcet.ns()),
        false => work,
    };
    let within = intervals.iter().map(|&t| {
        let jobs = t.checked_sub(due).map_or(0, |left| left / period.max(1) + 1);
        ask(work, jobs, t)
    });
    Some(std::iter::once(ask(work, 1, period)).chain(within).collect())
}
