//! The density test for preemptive EDF: Σ C/min(T, D − J) ≤ 1.

use std::cmp::Ordering;

use super::terms::{bound, late_release};
use crate::schedulability::Demand;
use gpusched_model::utilization::compare_total;
use gpusched_model::verdict::Evidence;

/// Tests whether the density Σ C/min(T, D − J) is at most 1. The test is sufficient for
/// preemptive EDF.
pub fn density(demands: &[Demand]) -> Evidence {
    if let Some(late) = late_release(demands) {
        return late;
    }
    let terms = demands.iter().map(|demand| {
        let urgency = demand.deadline.ns().saturating_sub(demand.jitter.ns());
        (demand.wcet.ns().into(), demand.period.ns().min(urgency))
    });
    bound(compare_total(terms, 1) != Ordering::Greater)
}
