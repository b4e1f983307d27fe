//! Terms that several utilization tests use.

use crate::schedulability::Demand;
use gpusched_model::time::Time;
use gpusched_model::verdict::Evidence;

/// Returns T' = min(T, D) − J [ns], or `None` if T' is not positive.
pub(super) fn least_separation(demand: &Demand) -> Option<u64> {
    let shorter = demand.period.min(demand.deadline).checked_sub(demand.jitter)?;
    (shorter > Time::ZERO).then_some(shorter.ns())
}

/// Returns the evidence of failure for the first task with C > 0 and J ≥ D, if such a task
/// exists.
pub(super) fn late_release(demands: &[Demand]) -> Option<Evidence> {
    let late = |demand: &Demand| demand.jitter >= demand.deadline && demand.wcet > Time::ZERO;
    let task = demands.iter().position(late)?;
    Some(Evidence::JitterExceedsDeadline { task })
}

/// Returns the evidence of a utilization bound. `holds` is the result of its inequality.
pub(super) fn bound(holds: bool) -> Evidence {
    if holds {
        Evidence::BoundHolds
    } else {
        Evidence::BoundExceeded
    }
}
