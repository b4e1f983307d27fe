//! Measures of the demand of tasks. By each measure, the demand of a group that passes a test is at most its number of SMs.
//!
//! In the long run, the demand of a task is m·C(m)/T. In an interval of length t, the demand is m·C(m)·n/t, where n
//! jobs have their release and deadline in the interval. Preemptive EDF is optimal on one partition. A group that
//! passes a test of deadlines under any policy therefore satisfies these bounds.
//!
//! Without immediate preemption, a job blocks jobs with earlier deadlines. The chains of a family ([`chain`](super::chain))
//! subtract this blocking from the supply of an interval.

use super::super::works::Growth;
use crate::interference::{CoLocated, kind_index};
use crate::partitioning::problem::Problem;
use gpusched_model::wcet::MAX_SMS;

/// Supply of one SM, in the unit of the measures.
pub(super) const SM: i64 = 1 << 32;

/// Maximum number of interval lengths.
const INTERVALS: usize = 96;

/// Initial number of interval lengths. The lengths are deadlines of the tasks: all of them, or a selection if the tasks have
/// more different deadlines than this.
const FIRST: usize = 24;

/// Largest size that has its own level. Each larger level covers several sizes. When the size doubles, the number of
/// levels grows by 16.
const SINGLE: u32 = 16;

/// The measures, and the demand of each task by each measure.
pub(super) struct Measures<'p> {
    problem: &'p Problem<'p>,
    /// Interval lengths of the measures [ns].
    intervals: Vec<u64>,
    levels: Vec<Level>,
}

/// A range of partition sizes that the search examines together.
pub(super) struct Level {
    /// Smallest size of the range [allocation units].
    pub low: u32,
    pub high: u32,
    /// Demand by each measure, indexed by task and class; `None` if the task misses its deadline at these sizes.
    asks: Vec<Option<Needs>>,
    /// Interval lengths of the measures [ns]. The measure of the long run is first, and has no interval length.
    intervals: Vec<u64>,
    /// Number of measures for which `asks` is up to date.
    known: usize,
}

/// Demand of a task on the sizes of a level.
pub(super) struct Needs {
    /// Demand by each measure.
    pub asks: Box<[i64]>,
    /// D − J [ns].
    pub due: u64,
    /// Longest time for which a job of the task blocks jobs with earlier deadlines [ns], on the largest size of the level.
    pub blocking: u64,
}

impl<'p> Measures<'p> {
    /// Creates the measures of the long run and of some interval lengths, for groups of all sizes.
    pub fn new(problem: &'p Problem<'p>) -> Measures<'p> {
        let mut intervals = Vec::new();
        if !problem.policy().counts_work() {
            intervals = problem.tasks().iter().map(|task| problem.due(task)).collect();
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
            // A size that is not supported is never the smallest size of a group.
            if high > low || problem.sms_of(low) > problem.sms_of(low - 1) {
                levels.push(Level {
                    low,
                    high,
                    asks: Vec::new(),
                    intervals: Vec::new(),
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

    /// Returns the number of measures.
    pub fn count(&self) -> usize {
        1 + self.intervals.len()
    }

    /// Whether another measure can be added.
    pub fn grows(&self) -> bool {
        self.intervals.len() < INTERVALS && !self.problem.policy().counts_work()
    }

    /// Adds the measure for intervals of length `t` [ns].
    pub fn add(&mut self, t: u64) {
        if t > 0 && self.grows() && !self.intervals.contains(&t) {
            self.intervals.push(t);
        }
    }

    /// Returns level `index` with the demand by all measures.
    pub fn level(&mut self, index: usize, growths: &[Growth]) -> &Level {
        let count = self.count();
        let classes = usize::from(self.problem.interference().classes());
        let (problem, intervals) = (self.problem, &self.intervals);
        let level = &mut self.levels[index];
        if level.known < count {
            level.asks.clear();
            level.asks.resize_with(problem.tasks().len() * classes, || None);
            level.intervals.clone_from(intervals);
            let mut done = vec![false; level.asks.len()];
            for growth in growths {
                let of_kind = problem.interference().class_of_each_kind(&growth.co_located);
                for (task, what) in problem.tasks().iter().enumerate() {
                    let kind = usize::from(kind_index(what.kind()));
                    let at = task * classes + usize::from(of_kind[kind]);
                    if growth.counts[kind] > 0 && !done[at] {
                        done[at] = true;
                        level.asks[at] = needs(
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
    /// Returns the demand of task `task` in contention class `class`, by each measure.
    pub fn needs(&self, task: usize, class: u8, classes: usize) -> Option<&Needs> {
        self.asks[task * classes + usize::from(class)].as_ref()
    }

    /// Returns the supply of one SM by each measure, if a group has no blocking.
    pub fn supply(&self) -> Vec<i64> {
        vec![SM; 1 + self.intervals.len()]
    }

    /// Limits `supply` by the blocking of `blocking` ns in all intervals with a length in `from`..`due` ns.
    ///
    /// In each of these intervals, demand and blocking together are at most the length t of the interval. So the demand
    /// is at most the share (t − blocking)/t, rounded up.
    pub fn block(&self, supply: &mut [i64], (from, due): (u64, u64), blocking: u64) {
        // Work-capacity tests have no intervals, and their tasks never block.
        for (supply, &t) in supply.iter_mut().skip(1).zip(&self.intervals) {
            if (from..due).contains(&t) {
                let left = u128::from(t.saturating_sub(blocking)) * SM as u128;
                *supply = i64::try_from(left.div_ceil(t.max(1).into())).unwrap_or(SM);
            }
        }
    }
}

/// Returns, for each measure, a lower bound on the demand of `task` on `low` to `high` SMs with the tasks `co_located`.
fn needs(
    problem: &Problem<'_>,
    intervals: &[u64],
    (low, high): (u32, u32),
    task: usize,
    co_located: &CoLocated,
) -> Option<Needs> {
    let what = &problem.tasks()[task];
    let (period, due) = (what.period().ns(), problem.due(what));
    let work = problem.least_work(task, co_located);
    let most = (i64::from(high) + 1) * SM;
    let ask = |work: u128, jobs: u64, by: u64| {
        let ask = work.saturating_mul(jobs.into()).saturating_mul(SM as u128) / u128::from(by.max(1));
        i64::try_from(ask).unwrap_or(most).min(most)
    };
    if problem.policy().counts_work() {
        return Some(Needs {
            asks: Box::new([ask(work, 1, period)]),
            due,
            blocking: 0,
        });
    }
    let sms = problem.sms_of(high);
    if sms == 0 {
        return None; // every supported size needs more units
    }
    let wcet = problem.wcet(task, sms, co_located)?;
    if wcet.ns() > due {
        return None;
    }
    let work = match low == high {
        true => u128::from(low) * u128::from(wcet.ns()),
        false => least_work_within(problem, (low, high), task, co_located, due).unwrap_or(work),
    };
    let within = intervals.iter().map(|&t| {
        let jobs = t.checked_sub(due).map_or(0, |left| left / period.max(1) + 1);
        ask(work, jobs, t)
    });
    Some(Needs {
        asks: std::iter::once(ask(work, 1, period)).chain(within).collect(),
        due,
        blocking: problem.blocking(task, wcet).ns(),
    })
}

/// Returns the least m·C(m) over the supported sizes from `low` to `high` on which the task meets its deadline in isolation.
/// Under Amdahl's law, m·C(m) grows with m, so this value can be several times the least work over all sizes.
///
/// Returns `None` if searches must not use this value, or if no plan has a group of such a size.
fn least_work_within(
    problem: &Problem<'_>,
    (low, high): (u32, u32),
    task: usize,
    co_located: &CoLocated,
    due: u64,
) -> Option<u128> {
    if !problem.is_sharp() || low > problem.shares() {
        return None;
    }
    let at = |units: u32| {
        let wcet = problem.wcet(task, problem.sms_of(units), co_located)?.ns();
        (wcet <= due).then(|| u128::from(units) * u128::from(wcet))
    };
    // The smallest size of a group is always a supported size.
    let supported = |&units: &u32| problem.sms_of(units) > problem.sms_of(units.saturating_sub(1));
    (low..=high).filter(supported).filter_map(at).min()
}
