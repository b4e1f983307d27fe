//! Enforced releases: a timer releases segment k of a job when the time o_k has passed since the arrival of the job.
//! With these timers, the releases of the segments of a job depend only on its arrival. So each resource has
//! independent sporadic streams (von der Brüggen, Huang, Chen 2017; Chen & Liu 2014 for earliest deadline first).

use gpusched_model::end_to_end::{Bounds, CorePolicy, PartitionPolicy, Resource, System};
use gpusched_model::error::Refusal;
use gpusched_model::time::Time;

use super::fixed_point;

/// Chooses release times for all segments, and returns the bounds with these releases.
pub(super) fn solve(system: &System) -> Result<(Bounds, Vec<Vec<Time>>), Refusal> {
    if let Some((index, _)) = system.tasks().iter().enumerate().find(|(_, task)| task.spins()) {
        Refusal::refuse(
            format!("tasks[{index}].wait"),
            "busy",
            "suspend, because a task that waits for a timer leaves its core",
        )?;
    }
    let proportional = proportional(system);
    let by_deadline = system.resources().any(|resource| match resource {
        Resource::Core(index) => system
            .cores()
            .get(index)
            .is_some_and(|core| core.policy == CorePolicy::Edf),
        Resource::Engine(_) => false,
        Resource::Partition(index) => system.partitions().get(index).is_some_and(|partition| {
            matches!(
                partition.policy,
                PartitionPolicy::Edf | PartitionPolicy::NpEdf | PartitionPolicy::LpEdf
            )
        }),
    });
    if by_deadline {
        // The release times determine the deadlines of segments, and therefore the delays.
        let bounds = fixed_point::solve(system, Some(&proportional), true).table();
        return Ok((bounds, proportional));
    }
    // Without deadlines, delays do not depend on the release times: each segment except the last gets its delay, and
    // the last segment gets the remaining time.
    let delays = fixed_point::solve(system, Some(&proportional), false).table();
    let offsets = by_delay(system, &delays, &proportional);
    let bounds = fixed_point::solve(system, Some(&offsets), true).table();
    Ok((bounds, offsets))
}

/// Divides the deadline of each task in proportion to the WCETs of its segments.
fn proportional(system: &System) -> Vec<Vec<Time>> {
    let tasks = system.tasks().iter().map(|task| {
        let total: u128 = task
            .segments
            .iter()
            .map(|segment| u128::from(segment.wcet.ns()))
            .sum();
        let mut release = 0u64;
        let releases = task.segments.iter().map(|segment| {
            let this = Time::from_ns(release);
            let share = u128::from(task.deadline.ns()) * u128::from(segment.wcet.ns()) / total.max(1);
            release = release.saturating_add(u64::try_from(share).unwrap_or(u64::MAX));
            this
        });
        releases.collect()
    });
    tasks.collect()
}

/// Releases each segment at the latest end of its predecessor. Tasks without bounds keep their releases.
fn by_delay(system: &System, bounds: &Bounds, otherwise: &[Vec<Time>]) -> Vec<Vec<Time>> {
    let tasks = system.tasks().iter().zip(&bounds.0).zip(otherwise);
    tasks
        .map(|((task, bounds), otherwise)| {
            let mut release = Time::ZERO;
            let mut jitter = task.jitter;
            let mut releases = Vec::with_capacity(bounds.delays_ns.len());
            for delay in &bounds.delays_ns {
                releases.push(release);
                let next = delay.and_then(|delay| release.checked_add(delay)?.checked_add(jitter));
                let Some(next) = next.filter(|&next| next <= task.deadline) else {
                    return otherwise.clone();
                };
                release = next;
                jitter = Time::ZERO;
            }
            releases
        })
        .collect()
}
