//! Worst-case response time of a task: the maximum over all its jobs in the longest busy period
//! of its priority level.

use super::level::Level;
use super::recurrence::{Fixpoint, Recurrence, Work};

/// Number of iterations per task after which the test gives up with
/// [`Undecided`](gpusched_model::verdict::Evidence::Undecided). One iteration of a recurrence
/// takes O(n) time for n tasks.
pub const STEP_LIMIT: u64 = 1_000_000;

/// Condition under which the search ends.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// The search ends as soon as it finds that a job misses its deadline.
    Early,
    /// The search ends when it has the response time of the first job that misses its deadline.
    Miss,
    /// The search ends at the end of the busy period, even if a job misses its deadline.
    Never,
}

/// Worst case over all jobs of a task. Times are in ns.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum WorstCase {
    /// The largest response time. All jobs meet their deadlines, except under [`Stop::Never`],
    /// which ignores deadlines.
    Response(u64),
    /// A job misses its deadline. The job ends at least `busy_period` after the start of the busy
    /// period, and at least `response` after the arrival of the job.
    Late { busy_period: u64, response: u64 },
    /// The search reached the step limit before it found the worst case.
    TooLong,
}

/// Number of additional steps to compute the exact response time of a job that misses its
/// deadline.
const STEPS_BEYOND: u64 = 10_000;

/// Number of jobs after which the search also stops at the end of a hyperperiod.
const MANY: u64 = 64;

/// Computes the worst case of the task of `level` within [`STEP_LIMIT`] steps.
pub(super) fn worst_case<R: Recurrence>(level: &Level<'_>, stop: Stop) -> WorstCase {
    let mut steps = STEP_LIMIT;
    worst_case_within::<R>(level, stop, &mut steps)
}

/// Computes the worst case of the task of `level`. The function subtracts the number of its steps from `steps`.
pub(super) fn worst_case_within<R: Recurrence>(level: &Level<'_>, stop: Stop, steps: &mut u64) -> WorstCase {
    let work = Work::of::<R>(level);
    let (period, jitter) = (level.task.period, level.task.jitter);
    let (mut worst, mut done, mut clear) = (0, 0, 0);
    let mut jobs = u64::MAX;
    for job in 0.. {
        let Some(arrival) = period.checked_mul(job) else {
            return WorstCase::TooLong;
        };
        // Time from the first arrival to the deadline of this job. The first job arrives J before
        // the start of the busy period.
        let due = match arrival.checked_add(level.task.deadline) {
            Some(due) if stop != Stop::Never => due,
            None if stop != Stop::Never => return WorstCase::TooLong,
            _ => u64::MAX,
        };
        let response = |done: u64| done.saturating_add(jitter).saturating_sub(arrival);
        let latest = due.checked_sub(jitter);
        match R::finish(&work, job, done, latest.unwrap_or(0), steps) {
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
            match work.clear(job, clear, next, steps) {
                Fixpoint::At(time) | Fixpoint::Beyond(time) => clear = time,
                Fixpoint::TooLong => return WorstCase::TooLong,
            }
        }
        if clear <= next {
            break;
        }
        if job == MANY && !level.overloaded(work.waste) {
            // Let h be the number of jobs in a hyperperiod, and w(q) the end of job q. Then w(q +
            // h) ≤ w(q) + h·T. So the first h jobs include a job with the longest response time.
            jobs = level.jobs_in_hyperperiod().unwrap_or(u64::MAX);
        }
        if job >= jobs.saturating_sub(1) {
            break;
        }
    }
    WorstCase::Response(worst)
}
