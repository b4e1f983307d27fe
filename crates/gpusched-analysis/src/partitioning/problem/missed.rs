//! The deadline that a negative verdict is about.

use crate::schedulability::Demand;
use crate::schedulability::demand::longer;
use gpusched_model::time::Time;
use gpusched_model::verdict::Evidence;

/// Returns the position of the demand whose deadline is missed according to `evidence`, and by how much, if the evidence states
/// it. If the utilization is above 1, returns the demand with the shortest period. Returns `None` for positive evidence, and if
/// no demand exists.
pub(crate) fn missed(evidence: &Evidence, demands: &[Demand]) -> Option<(usize, Option<Time>)> {
    let (position, excess) = match evidence {
        evidence if evidence.is_positive() => return None,
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

/// Returns the latest deadline of `demand` before `end`, counted from its latest release [ns].
fn last_deadline(demand: &Demand, end: u64) -> Option<u64> {
    let deadline = demand.deadline.checked_sub(demand.jitter)?;
    Demand { deadline, ..*demand }.last_deadline_before(end)
}
