//! Cores and partitions with EDF: response times by Spuri's method, with blocking.
//!
//! The busy period consists of work with the deadline of the analyzed job or an earlier deadline. The analyzed job
//! arrives at a, counted from the start of the busy period. The job ends at the least t with
//!
//! ```text
//! t = B(a) + ⌊(a + Jᵢ)/Tᵢ⌋·Cᵢ + own + Σ min(⌈(t + Jⱼ)/Tⱼ⌉, ⌊(a + Dᵢ + Jⱼ − Dⱼ)/Tⱼ⌋ + 1)·Cⱼ + lost(t)
//! ```
//!
//! The response time is the maximum of t − a. The check examines only the arrivals a for which another job has the
//! deadline of the analyzed job. These arrivals are sufficient, because B(a) never grows with a.
//!
//! If the segments of a job follow each other without timers, segment k ends before the later segments of its job are
//! released. So only earlier jobs count for the later segments. These jobs arrive at a − Tᵢ at the latest. Jobs of the own
//! task with later deadlines start after the analyzed job, so they do not block it. If the task is pipelined, younger jobs
//! at other segments count as blockers.
//!
//! lost(t) is the time that the resource loses to the memory traffic of other resources, or the time that a context waits
//! for its turns.

use super::service::{Service, Until};
use super::window::least;
use crate::conditions::Fraction;

/// Maximum number of evaluations for one resource. If a resource needs more evaluations, its segments have no bound.
/// This result is safe.
const STEP_LIMIT: u64 = 10_000_000;

/// Maximum number of iterations for a busy period with memory traffic or time slices. If no bandwidth is free, a busy period may grow
/// by 1 ns per iteration. A busy period that needs more iterations counts as "no bound". This result is safe.
const BUSY_STEPS: u64 = 1_000_000;

/// Longest busy period [ns]. A resource with a longer busy period has no bounds.
const LONGEST: u128 = 1 << 64;

/// Jobs of one task or segment. All times are in ns.
#[derive(Copy, Clone, Debug)]
pub(super) struct Source {
    pub period: u128,
    /// C: demand of one job on the resource.
    pub cost: u128,
    pub jitter: u128,
    /// D: time from the arrival to the deadline; negative if the deadline is before the arrival.
    pub deadline: i128,
    /// Longest time for which a job that has just started blocks jobs with earlier deadlines.
    pub blocking: u128,
    /// Task and position of the segment in the job. `None` if a timer releases the segment, or if a job is one demand.
    pub segment: Option<(usize, usize)>,
    /// Whether the task is pipelined, so a younger job may be at an earlier segment.
    pub pipelined: bool,
}

impl Source {
    /// Whether both sources are segments of one task without timers.
    fn same_task(&self, other: &Source) -> bool {
        let tasks = self.segment.zip(other.segment);
        tasks.is_some_and(|(own, other)| own.0 == other.0)
    }

    /// Whether `other` is a later segment of the same job.
    fn precedes(&self, other: &Source) -> bool {
        self.same_task(other) && self.segment < other.segment
    }

    /// Whether a job of `other` with a later deadline may block a job of this source.
    fn waits_for(&self, other: &Source) -> bool {
        !self.same_task(other) || self.pipelined
    }
}

/// A resource with EDF.
pub(super) struct Edf<'a> {
    sources: Vec<Source>,
    /// The service that the jobs receive.
    service: Service<'a>,
    /// Length of the longest busy period.
    busy: Option<u128>,
    /// Number of evaluations that the step limit still permits.
    steps: u64,
}

impl<'a> Edf<'a> {
    /// Creates a resource with `sources`. If `sources` is `None`, no job has a bound.
    pub fn new(sources: Option<Vec<Source>>, service: Service<'a>) -> Edf<'a> {
        let busy = sources
            .as_deref()
            .and_then(|sources| busy_period(sources, &service));
        Edf {
            sources: sources.unwrap_or_default(), // never read, because `busy` is `None`
            service,
            busy,
            steps: STEP_LIMIT,
        }
    }

    /// Returns C of source `index`, or `None` if the resource has no bounds.
    pub fn cost(&self, index: usize) -> Option<u128> {
        self.sources.get(index).map(|source| source.cost)
    }

    /// Returns a bound for a job of source `index`: the time from its arrival until the first `own` ns of its demand
    /// are executed. Returns `None` if the bound is above `limit`.
    pub fn response(&mut self, index: usize, own: u128, limit: u128) -> Option<u128> {
        let source = self.sources.get(index).copied();
        let (source, busy) = (source?, signed(self.busy?));
        let mut worst = signed(source.jitter.saturating_add(own));
        let mut previous: Option<(u128, u128)> = None; // blocking and end of the last arrival
        for arrival in self.arrivals(index, busy)? {
            if busy - arrival <= worst {
                break; // every job ends in the longest busy period
            }
            let due = arrival + source.deadline;
            let others = self
                .sources
                .iter()
                .enumerate()
                .filter(|&(other, _)| other != index);
            let others: Vec<(Source, u128)> = others
                .map(|(_, other)| {
                    let last = match source.precedes(other) {
                        true => due - signed(other.period), // deadline of the previous job
                        false => due,
                    };
                    let room = last + signed(other.jitter) - other.deadline;
                    let jobs = (room.div_euclid(signed(other.period)) + 1).max(0);
                    (*other, jobs.unsigned_abs())
                })
                .collect();
            let later = others
                .iter()
                .filter(|(other, _)| other.deadline > due && source.waits_for(other));
            let blocking = later.map(|(other, _)| other.blocking).max().unwrap_or(0); // nothing blocks
            let before = (arrival + signed(source.jitter)).unsigned_abs() / source.period;
            let base = before
                .saturating_mul(source.cost)
                .saturating_add(own)
                .saturating_add(blocking);
            // With the same blocking, a job that arrives later never ends earlier.
            let start = match previous {
                Some((same, end)) if same == blocking => base.max(end),
                _ => base,
            };
            let steps = std::cell::Cell::new(self.steps);
            let most = u128::try_from(arrival + signed(limit)).ok()?; // the job ends after 0
            let end = least(start, most, |t| {
                steps.set(steps.get().checked_sub(1)?);
                let work = others.iter().map(|&(other, jobs)| {
                    let released = t.saturating_add(other.jitter).div_ceil(other.period);
                    released.min(jobs).saturating_mul(other.cost)
                });
                let work = work.fold(base, u128::saturating_add);
                self.service.time(work, t, Until::End)
            })?;
            self.steps = steps.get();
            previous = Some((blocking, end));
            worst = worst.max(signed(end) - arrival);
        }
        u128::try_from(worst).ok().filter(|&worst| worst <= limit)
    }

    /// Returns the arrivals to examine for source `index`, ascending, from −J to the end of the longest busy period.
    /// Returns `None` if there are too many arrivals.
    fn arrivals(&self, index: usize, busy: i128) -> Option<Vec<i128>> {
        let source = self.sources.get(index)?;
        let first = -signed(source.jitter);
        let mut arrivals = Vec::new();
        for other in &self.sources {
            let period = signed(other.period);
            let start = other.deadline - signed(other.jitter) - source.deadline;
            let skipped = (first - start).max(0);
            let start = start + (skipped + period - 1) / period * period;
            let count = ((busy - start).max(0) + period - 1) / period;
            let room = i128::from(self.steps) - signed(u128::try_from(arrivals.len()).ok()?);
            if count > room {
                return None;
            }
            arrivals.extend((0..count).map(|job| start + job * period));
        }
        arrivals.sort_unstable();
        arrivals.dedup();
        Some(arrivals)
    }
}

/// Returns `value` as a signed number. All values of this module are far below 2^127.
pub(super) fn signed(value: u128) -> i128 {
    i128::try_from(value).unwrap_or(i128::MAX)
}

/// Returns the length of the longest busy period: least L = max B + Σ ⌈(L + J)/T⌉·C + lost(L).
/// Returns `None` if the busy period may never end.
fn busy_period(sources: &[Source], service: &Service<'_>) -> Option<u128> {
    let blocking = sources.iter().map(|source| source.blocking).max()?;
    let utilization = Fraction::sum(sources.iter().map(|job| Fraction::new(job.cost, job.period)));
    let late = sources.iter().any(|source| source.jitter > 0);
    let delayed = blocking > 0 || late || service.always_waits();
    // lost(L) is at least L times the share that the resource loses in the long run.
    match utilization.plus(service.share()).cmp(1) {
        std::cmp::Ordering::Greater => return None,
        std::cmp::Ordering::Equal if delayed => return None,
        _ => {}
    }
    let start = sources
        .iter()
        .map(|source| source.cost)
        .fold(blocking, u128::saturating_add);
    let steps = std::cell::Cell::new(BUSY_STEPS);
    least(start, LONGEST, |length| {
        if !service.is_immediate() {
            steps.set(steps.get().checked_sub(1)?);
        }
        let work = sources.iter().map(|source| {
            let jobs = length.saturating_add(source.jitter).div_ceil(source.period);
            jobs.saturating_mul(source.cost)
        });
        let work = work.fold(blocking, u128::saturating_add);
        service.time(work, length, Until::End)
    })
}
