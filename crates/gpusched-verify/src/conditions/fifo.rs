//! Check of response times under first in, first out, without preemption.
//!
//! A job of task i that is released at r runs after all jobs that other tasks release in [0, r], and after the earlier jobs
//! of its task. Of two jobs that are released at r, the job of the task with the lower position is first. The check
//! evaluates this sum at every r where it grows. It stops at the end of the busy period, or after a hyperperiod.

use std::cmp::Ordering;

use super::response::STEP_LIMIT;
use super::stated::{self, hyperperiod, overloaded};
use crate::fault::Fault;
use crate::jobs::Job;
use gpusched_model::time::Time;

/// Returns the work of the jobs of `other` that run before the end of a job of `own` that is released at `r`, and the next
/// r with more such jobs. The busy period starts at 0.
fn work(other: &Job, own: &Job, r: u128) -> (u128, u128) {
    // Jobs that `other` releases from 0 to `last` arrive at −`early` or later.
    let (last, early) = match other.task.cmp(&own.task) {
        Ordering::Less => (r, other.jitter),
        Ordering::Equal => (r, 0),
        Ordering::Greater if r == 0 => return (0, 1),
        Ordering::Greater => (r - 1, other.jitter),
    };
    let jobs = (last + early) / other.period + 1;
    let next = jobs * other.period - early;
    (jobs.saturating_mul(other.wcet), next + (r - last))
}

/// Returns the time at which a job of `own` that is released at `r` completes, and the next r with more work.
fn completion(jobs: &[Job], own: &Job, r: u128) -> (u128, u128) {
    jobs.iter().fold((0, u128::MAX), |(sum, next), other| {
        let (work, more) = work(other, own, r);
        (sum.saturating_add(work), next.min(more))
    })
}

/// Returns the longest response time of `own`, or a response time above its deadline. Returns `None` if the response time
/// is unknown.
fn longest(jobs: &[Job], own: &Job) -> Option<u128> {
    if overloaded(jobs) {
        return Some(u128::MAX);
    }
    let repeats = hyperperiod(jobs);
    let (mut longest, mut r) = (0, 0);
    for _ in 0..STEP_LIMIT {
        let (end, next) = completion(jobs, own, r);
        longest = longest.max(end.saturating_sub(r));
        // `end` is at least the work that is released before `next` − 1. If this work is done by then, a later job responds no
        // later than an earlier one: the work that is released in x + y is at most the sum for x and for y.
        let idle = r > 0 && end < next;
        if idle || r > repeats || longest + own.jitter > own.deadline {
            return Some(longest + own.jitter);
        }
        r = if r == 0 { 1 } else { next };
    }
    None
}

/// Checks evidence of the kind `response-times`: all jobs meet their deadlines.
pub(crate) fn check(jobs: &[Job], order: &[usize], stated: &[Time]) -> Result<(), Fault> {
    stated::check(jobs, (order, stated), longest)
}

/// Checks evidence of the kind `deadline-missed`: a job of `task` misses its deadline.
pub(crate) fn check_miss(
    jobs: &[Job],
    task: usize,
    busy_period: Time,
    response_time: Time,
) -> Result<(), Fault> {
    let job = stated::late(jobs, task, response_time)?;
    let (end, response) = (u128::from(busy_period.ns()), u128::from(response_time.ns()));
    // The job may be released at any time of the busy period.
    let Some(r) = (end + job.jitter).checked_sub(response) else {
        let message = format!("found {response_time}, expected at most {busy_period} plus the jitter");
        return Err(Fault::new("response_time_ns", message));
    };
    // The stated time is a lower bound, because the analysis stops at the first miss.
    let (most, _) = completion(jobs, job, r);
    match end <= most {
        true => Ok(()),
        false => {
            let message = format!("found {busy_period}, expected at most {most} ns");
            Err(Fault::new("busy_period_ns", message))
        }
    }
}

/// Returns whether every job meets its deadline, or `None` if a response time is unknown.
pub(crate) fn passes(jobs: &[Job]) -> Option<bool> {
    stated::passes(jobs, longest)
}
