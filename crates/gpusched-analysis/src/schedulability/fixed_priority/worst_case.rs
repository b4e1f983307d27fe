//! Worst-case response time of a task: the maximum over all its jobs in the longest busy period of its level.

use super::level::Level;
use super::recurrence::{Fixpoint, Recurrence, Work};

/// Number of steps of the recurrences of one task after which the test gives up with
/// [`Undecided`](gpusched_model::verdict::Evidence::Undecided). A step takes O(n) time.
pub const STEP_LIMIT: u64 = 1_000_000;

/// Condition under which the search ends.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// The search ends as soon as it is known that a job misses its deadline.
    Early,
    /// The search ends as soon as the response time of the first late job is known.
    Miss,
    /// The search ends at the end of the busy period. Late jobs count like all other jobs.
    Never,
}

/// Worst case over the jobs of a task; times in ns.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum WorstCase {
    /// All jobs meet their deadlines. The value is the largest response time. Under [`Stop::Never`], late jobs count, too.
    Response(u64),
    /// A job misses its deadline. It ends at least `busy_period` after the start of the busy period, and at least `response` after
    /// its arrival.
    Late { busy_period: u64, response: u64 },
    /// The worst case is not known within the step limit.
    TooLong,
}

/// Number of steps to compute the exact response time of a job that is known to be late.
const STEPS_BEYOND: u64 = 10_000;

/// Number of jobs after which the search computes the number of jobs in a hyperperiod as a limit.
const MANY: u64 = 64;

/// Computes the worst case of the task of `level`.
pub(super) fn worst_case<R: Recurrence>(level: &Level<'_>, stop: Stop) -> WorstCase {
    let work = Work::of::<R>(level);
    let (period, jitter) = (level.task.period, level.task.jitter);
    let (mut steps, mut worst, mut done, mut clear) = (STEP_LIMIT, 0, 0, 0);
    let mut jobs = u64::MAX;
    for job in 0.. {
        let Some(arrival) = period.checked_mul(job) else {
            return WorstCase::TooLong;
        };
        // Time from the first arrival to the deadline of this job. The first arrival is J before the start of the busy period.
        let due = match arrival.checked_add(level.task.deadline) {
            Some(due) if stop != Stop::Never => due,
            None if stop != Stop::Never => return WorstCase::TooLong,
            _ => u64::MAX,
        };
        let response = |done: u64| done.saturating_add(jitter).saturating_sub(arrival);
        let latest = due.checked_sub(jitter);
        match R::finish(&work, job, done, latest.unwrap_or(0), &mut steps) {
            Fixpoint::At(time) if latest.is_some() => done = time,
            Fixpoint::TooLong => return WorstCase::TooLong,
            Fixpoint::Beyond(_) if stop == Stop::Never => return WorstCase::TooLong,
            Fixpoint::At(time) | Fixpoint::Beyond(time) => {
                let mut extra = if stop == Stop::Early { 0 } else { STEPS_BEYOND };
                let exact = R::finish(&work, job, time, u64::MAX, &mut extra);
                let time = if let Fixpoint::At(exact) = exact {
                    exact
                } else {
                    time
                };
                return WorstCase::Late {
                    busy_period: time,
                    response: response(time),
                };
            }
        }
        worst = worst.max(response(done));
        // The busy period ends if all work is done before the next job of task i is released.
        let next = period.saturating_add(arrival).saturating_sub(jitter);
        if R::FINISH_ENDS {
            clear = done;
        } else {
            match work.clear(job, clear, next, &mut steps) {
                Fixpoint::At(time) | Fixpoint::Beyond(time) => clear = time,
                Fixpoint::TooLong => return WorstCase::TooLong,
            }
        }
        if clear <= next {
            break;
        }
        if job == MANY && !level.overloaded(work.waste) {
            // Let h be the number of jobs in a hyperperiod. Then w(q + h) ≤ w(q) + h·T, so no later job has a longer response time
            // than the first h jobs.
            jobs = level.jobs_in_hyperperiod().unwrap_or(u64::MAX);
        }
        if job >= jobs.saturating_sub(1) {
            break;
        }
    }
    WorstCase::Response(worst)
}
