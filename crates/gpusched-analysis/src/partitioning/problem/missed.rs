//! The deadline that a negative verdict is about.

use crate::schedulability::Demand;
use crate::schedulability::demand::longer;
use gpusched_model::time::Time;
use gpusched_model::verdict::Evidence;

/// Returns the position of the demand whose deadline is missed according to `evidence`, and by how much, if the evidence states
/// it. If a task exceeds its deadline in isolation, returns the task that exceeds it most. If the utilization is above 1, returns
/// the demand with the shortest period. Returns `None` for positive evidence, and if no demand exists.
pub(crate) fn missed(evidence: &Evidence, demands: &[Demand]) -> Option<(usize, Option<Time>)> {
    if evidence.is_positive() {
        return None;
    }
    if let Some((position, excess)) = in_isolation(demands) {
        return Some((position, Some(excess)));
    }
    let (position, excess) = match evidence {
        Evidence::DeadlineMissed {
            task,
            response_time_ns,
            ..
        } => {
            let deadline = demands.get(*task)?.deadline;
            (*task, response_time_ns.checked_sub(deadline))
        }
        Evidence::JitterExceedsDeadline { task } => {
            let demand = demands.get(*task)?;
            (
                *task,
                longer(demand.jitter, demand.wcet).checked_sub(demand.deadline),
            )
        }
        Evidence::DemandExceedsInterval {
            interval_ns,
            demand_ns,
        } => {
            // The last deadline in the interval is of this task.
            let ends = |demand: &Demand| {
                let end = interval_ns.ns().saturating_add(1);
                last_deadline(demand, end).unwrap_or(0)
            };
            let latest = (0..demands.len()).max_by_key(|&position| demands.get(position).map(ends))?;
            let excess = demand_ns.saturating_sub(interval_ns.ns());
            (latest, Some(Time::from_ns(excess)))
        }
        Evidence::WcetExceedsDeadline { task, .. } => {
            let demand = demands.get(*task)?;
            (*task, demand.wcet.checked_sub(demand.deadline))
        }
        _ => {
            let shortest = (0..demands.len())
                .min_by_key(|&position| demands.get(position).map(|demand| demand.period))?;
            (shortest, None)
        }
    };
    Some((position, excess.filter(|&excess| excess > Time::ZERO)))
}

/// Returns the demand whose first job exceeds its deadline most if no other job runs, and by how much.
fn in_isolation(demands: &[Demand]) -> Option<(usize, Time)> {
    let excess = demands.iter().map(|demand| {
        let response = longer(demand.jitter, demand.wcet);
        response.checked_sub(demand.deadline)
    });
    let excess = { excess.enumerate() }.filter_map(|(position, excess)| Some((position, excess?)));
    let excess = excess.filter(|&(_, excess)| excess > Time::ZERO);
    // `max_by_key` returns the last of equal values, and gpusched the first.
    excess.rev().max_by_key(|&(_, excess)| excess)
}

/// Returns the number of the job that misses its deadline according to [`missed`], from 1. Job 1 is the first job of the demand at
/// `position` in a busy period. Returns `None` if the evidence states no job.
pub(crate) fn missed_job(evidence: &Evidence, demands: &[Demand], position: usize) -> Option<u64> {
    if in_isolation(demands).is_some() {
        return Some(1);
    }
    let Evidence::DemandExceedsInterval { interval_ns, .. } = evidence else {
        return None;
    };
    let demand = demands.get(position)?;
    let first = demand.deadline.checked_sub(demand.jitter)?;
    let later = interval_ns.checked_sub(first)?.ns() / demand.period.ns().max(1);
    Some(later + 1)
}

/// Returns the latest deadline of `demand` before `end`, counted from its latest release [ns].
fn last_deadline(demand: &Demand, end: u64) -> Option<u64> {
    let deadline = demand.deadline.checked_sub(demand.jitter)?;
    Demand { deadline, ..*demand }.last_deadline_before(end)
}
