//! Check of response times of kernels that run together, each task in its own stream.
//!
//! A busy period starts at 0. Job q (from 0) of task i in this period ends when two groups of jobs are done: all jobs that other
//! tasks released before its end, and the first q + 1 jobs of i. In the worst case, the GPU completes exactly
//! 1 ns of work per ns and executes i last. The check steps from one release to the next: before the job ends, each
//! release postpones the end.

use super::response::STEP_LIMIT;
use super::stated::{self, hyperperiod, overloaded};
use crate::fault::Fault;
use crate::jobs::Job;
use gpusched_model::time::Time;

/// Jobs that the other tasks release, in the order of their releases. All tasks have released their first jobs at 0, with the
/// largest jitter.
struct Others<'a> {
    jobs: Vec<&'a Job>,
    /// Number of released jobs of each task.
    released: Vec<u128>,
    /// Work of all released jobs.
    work: u128,
}

impl<'a> Others<'a> {
    fn new(jobs: &'a [Job], own: &Job) -> Others<'a> {
        let jobs: Vec<&Job> = jobs.iter().filter(|other| other.task != own.task).collect();
        Others {
            released: vec![0; jobs.len()],
            jobs,
            work: 0,
        }
    }

    /// Releases all jobs before `end`.
    fn release_before(&mut self, end: u128) {
        for (job, released) in self.jobs.iter().zip(&mut self.released) {
            // Job k is released at 0 or at k·T − J.
            let all = (end + job.jitter).div_ceil(job.period);
            if end > 0 && all > *released {
                self.work = self
                    .work
                    .saturating_add((all - *released).saturating_mul(job.wcet));
                *released = all;
            }
        }
    }
}

/// Returns the end of job `q` of `own`, or a time of at least `enough` that the end does not precede. Returns `None` if the end
/// is unknown. `others` contains the jobs that were released before an earlier end.
fn end(others: &mut Others<'_>, own: &Job, q: u128, enough: u128) -> Option<u128> {
    for _ in 0..STEP_LIMIT {
        let end = others.work.saturating_add((q + 1).saturating_mul(own.wcet));
        if end >= enough {
            return Some(end);
        }
        let before = others.work;
        others.release_before(end);
        if others.work == before {
            return Some(end);
        }
    }
    None
}

/// Returns the longest response time of `own`, or a response time above its deadline. Returns `None` if the response time
/// is unknown.
fn longest(jobs: &[Job], own: &Job) -> Option<u128> {
    if overloaded(jobs) {
        return Some(u128::MAX);
    }
    let repeats = hyperperiod(jobs);
    let mut others = Others::new(jobs, own);
    let mut longest = 0;
    for q in 0..u128::from(STEP_LIMIT) {
        let arrival = q * own.period;
        let due = arrival + own.deadline;
        let end = end(&mut others, own, q, (due + 1).saturating_sub(own.jitter))?;
        // A job that is released after the start of the busy period arrives at q·T − J.
        longest = longest.max((end + own.jitter).saturating_sub(arrival));
        let idle = end + own.jitter <= arrival + own.period;
        if longest > own.deadline || idle || arrival >= repeats {
            return Some(longest);
        }
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
    let own = stated::late(jobs, task, response_time)?;
    let (stated, response) = (u128::from(busy_period.ns()), u128::from(response_time.ns()));
    let arrival = (stated + own.jitter).checked_sub(response);
    let Some(arrival) = arrival.filter(|arrival| arrival % own.period == 0) else {
        let message = format!(
            "found {response_time}, expected the completion time {busy_period} minus the arrival time of a job"
        );
        return Err(Fault::new("response_time_ns", message));
    };
    // The stated time is a lower bound, because the analysis stops at the first miss. If the busy period ends before the job
    // is released, an earlier job responds at least as late: the work of others in x + y is at most the sum for x and for y.
    let mut others = Others::new(jobs, own);
    match end(&mut others, own, arrival / own.period, stated) {
        Some(end) if end >= stated => Ok(()),
        found => {
            let most = found.map_or("an unknown end".to_owned(), |end| format!("at most {end} ns"));
            let message = format!("found {busy_period}, expected {most}");
            Err(Fault::new("busy_period_ns", message))
        }
    }
}

/// Returns whether every job meets its deadline, or `None` if a response time is unknown.
pub(crate) fn passes(jobs: &[Job]) -> Option<bool> {
    stated::passes(jobs, longest)
}
