//! Computes the end of a simulation.

use gpusched_model::error::{Error, Result};
use gpusched_model::time::Time;
use gpusched_sim::tasks::{MAX_JOBS, Release, Task, hyperperiod, jobs_before};

/// Maximum number of jobs in a simulation without `--duration`. A simulation of this number of
/// jobs takes some seconds.
const MANY_JOBS: u64 = 100_000_000;

/// Returns the time after which no job of `tasks` arrives.
///
/// # Errors
/// Fails with [`Error::Refused`] for an end after 2^62 ns, or for too many jobs before the end.
pub(super) fn end(duration: Option<Time>, tasks: &[Task], releases: &[Release]) -> Result<Time> {
    let last = releases
        .iter()
        .map(|release| release.earliest)
        .max()
        .unwrap_or_default();
    let end = match duration {
        Some(duration) => Some(duration),
        None => hyperperiod(tasks).and_then(|time| time.checked_add(last)),
    };
    let jobs = end.map(|end| {
        let jobs = tasks.iter().zip(releases);
        jobs.fold(0u64, |sum, (task, release)| {
            sum.saturating_add(jobs_before(task, release, end))
        })
    });
    match (end, jobs, duration) {
        (Some(end), Some(jobs), Some(_)) if jobs > MAX_JOBS => Err(Error::parameter(
            "duration",
            format!("{end} with up to {jobs} jobs"),
            format!("at most {MAX_JOBS}"),
        )),
        (Some(end), Some(jobs), None) if jobs > MANY_JOBS => {
            let found = format!(
                "no --duration; the hyperperiod ends at {end}, and up to {jobs} jobs arrive until then"
            );
            Err(Error::parameter("duration", found, "--duration TIME"))
        }
        (Some(end), ..) => Ok(end),
        (None, ..) => {
            let found = "no --duration; the hyperperiod is longer than 2^62 ns";
            Err(Error::parameter("duration", found, "--duration TIME"))
        }
    }
}

/// Returns a number of events that the timeline of the jobs before `end` has at least. Each job has an event for its
/// release, and two events for its execution.
pub(super) fn least_events(tasks: &[Task], releases: &[Release], end: Time) -> u64 {
    let jobs = tasks.iter().zip(releases).map(|(task, release)| {
        let longest = task.period.ns().saturating_add(release.gap.ns()).max(1);
        end.ns().saturating_sub(release.first.ns()) / longest
    });
    jobs.fold(0u64, u64::saturating_add).saturating_mul(3)
}
