//! Segments on copy engines and partitions, under FIFO and fixed priorities: the time from the
//! release to the end of a segment.
//!
//! On cores, enforced releases make the segments independent tasks. So the preemptive case also
//! serves these cores.

use std::collections::BTreeMap;

use super::table::{Stream, Table};
use super::window::{blocking, least, smaller, total};

/// Rule of a resource without EDF.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Rule {
    Fifo,
    /// Fixed priorities without preemption.
    NonPreemptive,
    /// Fixed priorities with immediate preemption.
    Preemptive,
    /// Fixed priorities with preemption at the boundaries of thread blocks.
    Limited,
}

/// Returns the least valid S of `own`, or `None` if it has no bound. `all` are the streams on
/// the resource.
pub(super) fn delay(rule: Rule, table: &Table<'_>, all: &[Stream], own: &Stream) -> Option<u128> {
    let delay = match rule {
        Rule::Fifo => Some(fifo(all, own)),
        _ if Rivals::new(table, all, own).queue => None,
        Rule::NonPreemptive => Rivals::new(table, all, own).non_preemptive(),
        Rule::Preemptive => Rivals::new(table, all, own).preemptive(),
        Rule::Limited => Rivals::new(table, all, own).limited(),
    };
    delay.filter(|&delay| delay <= own.period)
}

/// Each other task has at most one request at a time, because a task is one thread.
fn fifo(all: &[Stream], own: &Stream) -> u128 {
    let mut longest: BTreeMap<usize, u128> = BTreeMap::new();
    for other in all.iter().filter(|other| other.task != own.task) {
        let longest = longest.entry(other.task).or_default();
        *longest = other.cost.max(*longest);
    }
    longest.into_values().fold(own.cost, u128::saturating_add)
}

/// The streams on the resource of a segment, by priority.
struct Rivals<'a> {
    own: &'a Stream,
    /// Streams of other tasks of the same or a higher priority.
    higher: Vec<&'a Stream>,
    /// Streams of tasks with lower priority.
    lower: Vec<&'a Stream>,
    /// Streams of the own task: the segment and the other segments on the resource.
    mine: Vec<&'a Stream>,
    /// Whether a task of the same priority has no bound. Its jobs queue while an own earlier
    /// segment executes, so no window starts without them.
    queue: bool,
}

impl<'a> Rivals<'a> {
    fn new(table: &Table<'_>, all: &'a [Stream], own: &'a Stream) -> Rivals<'a> {
        let priority = |stream: &Stream| {
            let task = table.task(stream.task);
            match task.segments[stream.segment].on.is_core() {
                true => task.priority,
                false => task.gpu_priority,
            }
        };
        let (mine, others): (Vec<&Stream>, Vec<&Stream>) =
            all.iter().partition(|stream| stream.task == own.task);
        let level = priority(own);
        let queue = others
            .iter()
            .any(|stream| priority(stream) == level && stream.end.is_none());
        let (higher, lower) = others.into_iter().partition(|stream| priority(stream) <= level);
        Rivals {
            own,
            higher,
            lower,
            mine,
            queue,
        }
    }

    /// Returns the work of the higher-priority releases in a closed window that starts when no
    /// higher-priority work is pending: Σ (⌊(w + J)/T⌋ + 1)·c.
    fn work_from_idle(&self, window: u128) -> Option<u128> {
        total(self.higher.iter().map(|other| {
            let jobs = window.saturating_add(other.jitter?) / other.period + 1;
            Some(jobs.saturating_mul(other.cost))
        }))
    }

    /// Returns the higher-priority work in a window that starts with the release of the segment:
    /// Σ (⌊(w + R − c − φ)/T⌋ + 1)·c. A job with work left has arrived after the start of the
    /// window minus (R − its work).
    fn work_from_release(&self, window: u128) -> Option<u128> {
        total(self.higher.iter().map(|other| {
            // R ≥ φ + c in a valid table. In an invalid table, the check of R fails.
            let early = other.end?.saturating_sub(other.cost + other.earliest);
            let jobs = window.saturating_add(early) / other.period + 1;
            Some(jobs.saturating_mul(other.cost))
        }))
    }

    /// S = c + min(w1, w2). The window of w1 starts at the last time without pending
    /// higher-priority work. An own segment may execute at this time, for example the segment of
    /// the previous job. The window of w2 starts with the release.
    fn non_preemptive(&self) -> Option<u128> {
        let limit = self.own.period;
        let costs = |streams: &[&Stream]| blocking(streams.iter().map(|stream| stream.cost));
        let lower = costs(&self.lower);
        let pushed = lower.max(costs(&self.mine));
        let w1 = least(pushed, limit, |w| {
            Some(self.work_from_idle(w)?.saturating_add(pushed))
        });
        let w2 = least(lower, limit, |w| {
            Some(self.work_from_release(w)?.saturating_add(lower))
        });
        Some(smaller(w1, w2)?.saturating_add(self.own.cost))
    }

    /// Least w = c + Σ ⌈(w + J)/T⌉·c.
    fn preemptive(&self) -> Option<u128> {
        let cost = self.own.cost;
        least(cost, self.own.period, |w| {
            let work = total(self.higher.iter().map(|other| other.work(w)))?;
            Some(work.saturating_add(cost))
        })
    }

    /// Preemption at block boundaries. The first window is the window of [`Rivals::preemptive`]
    /// with the blocking by one thread block, which may belong to an own segment. Each
    /// higher-priority job may preempt one kernel, which makes this kernel up to one block
    /// longer (γ). The second window starts with the release. It counts no preemptions before
    /// the release, so it is only valid if no preemption adds time.
    fn limited(&self) -> Option<u128> {
        let (cost, limit) = (self.own.cost, self.own.period);
        let blocks = |streams: &[&Stream]| blocking(streams.iter().map(|stream| stream.block));
        let lower = blocks(&self.lower);
        let pushed = lower.max(blocks(&self.mine)).saturating_add(cost);
        let charge = self.charge();
        let w1 = least(pushed, limit, |w| {
            let work = total(self.higher.iter().map(|other| {
                let jobs = w.saturating_add(other.jitter?).div_ceil(other.period);
                Some(jobs.saturating_mul(other.cost.saturating_add(charge)))
            }))?;
            Some(work.saturating_add(pushed))
        });
        let start = lower.saturating_add(cost);
        let w2 = match charge {
            0 => least(start, limit, |w| {
                Some(self.work_from_release(w)?.saturating_add(start))
            }),
            _ => None,
        };
        smaller(w1, w2)
    }

    /// Returns γ: the longest block of the kernels whose preemption delays the segment. A kernel
    /// of one block is never preempted.
    fn charge(&self) -> u128 {
        let preemptable = self.higher.iter().copied().chain([self.own]);
        let preemptable = preemptable.filter(|stream| stream.block < stream.cost);
        match self.higher.is_empty() {
            true => 0,                                                          // no job preempts
            false => preemptable.map(|stream| stream.block).max().unwrap_or(0), // no kernel is preempted
        }
    }
}
