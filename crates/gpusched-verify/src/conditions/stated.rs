//! Checks that policies without priorities share: stated response times against the longest response time of each task.

use super::fraction::Fraction;
use super::multiple::least_common_multiple;
use super::response::check_lists;
use crate::fault::Fault;
use crate::jobs::Job;
use gpusched_model::policy::Priorities;
use gpusched_model::time::Time;

/// Whether the utilization exceeds 1.
pub(crate) fn overloaded(jobs: &[Job]) -> bool {
    let load = Fraction::sum(jobs.iter().map(|job| Fraction::new(job.wcet, job.period)));
    load.cmp(1).is_gt()
}

/// Returns the least common multiple of all periods, or the largest number.
pub(crate) fn hyperperiod(jobs: &[Job]) -> u128 {
    least_common_multiple(jobs.iter().map(|job| job.period)).unwrap_or(u128::MAX)
}

/// Checks evidence of the kind `response-times` under policies without priorities: all jobs meet their deadlines.
///
/// `longest` returns the longest response time of a job, or `None` if it is unknown.
pub(crate) fn check(
    jobs: &[Job],
    (order, stated): (&[usize], &[Time]),
    longest: impl Fn(&[Job], &Job) -> Option<u128>,
) -> Result<(), Fault> {
    check_lists(Priorities::Given, jobs, (order, stated))?;
    for (index, (job, &stated)) in jobs.iter().zip(stated).enumerate() {
        let expected = match longest(jobs, job) {
            Some(response) if response > job.deadline => "a missed deadline".to_owned(),
            Some(response) if response == u128::from(stated.ns()) => continue,
            Some(response) => format!("{response} ns"),
            None => "an unknown response time".to_owned(),
        };
        let message = format!("found {} ns, expected {expected}", stated.ns());
        return Err(Fault::new(format!("response_times_ns[{index}]"), message));
    }
    Ok(())
}

/// Returns the job of `task`. Fails if the job is absent, or if `response` does not exceed its deadline.
pub(crate) fn late(jobs: &[Job], task: usize, response: Time) -> Result<&Job, Fault> {
    let Some(job) = jobs.iter().find(|job| job.task == task) else {
        let message = format!("found task {task}, which is not in the partition");
        return Err(Fault::new("task", message));
    };
    if u128::from(response.ns()) <= job.deadline {
        let message = format!("found {response}, expected more than the deadline");
        return Err(Fault::new("response_time_ns", message));
    }
    Ok(job)
}

/// Returns whether every job meets its deadline, or `None` if a response time is unknown.
pub(crate) fn passes(jobs: &[Job], longest: impl Fn(&[Job], &Job) -> Option<u128>) -> Option<bool> {
    let mut all = Some(true);
    for job in jobs {
        match longest(jobs, job) {
            Some(response) if response > job.deadline => return Some(false),
            Some(_) => {}
            None => all = None,
        }
    }
    all
}
