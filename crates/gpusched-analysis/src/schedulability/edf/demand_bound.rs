//! The demand bound function dbf(t) under EDF (Baruah, Mok & Rosier, RTSS 1990).

use std::cmp::Ordering;

use crate::schedulability::Demand;
use gpusched_model::utilization::compare_total;

/// Returns dbf(t): the total WCET of all jobs with arrival and deadline within an interval of
/// length t = `interval` [ns].
pub fn demand_bound(demands: &[Demand], interval: u64) -> u128 {
    demands.iter().fold(0u128, |total, demand| {
        total.saturating_add(demand.within(interval))
    })
}

/// Returns the latest deadline [ns] before `interval` in the synchronous schedule, which releases a job of every task
/// at time 0.
pub(super) fn last_deadline_before(demands: &[Demand], interval: u64) -> Option<u64> {
    demands
        .iter()
        .filter_map(|demand| demand.last_deadline_before(interval))
        .max()
}

/// Compares the utilization U with 1.
pub(super) fn utilization_against_one(tasks: &[Demand]) -> Ordering {
    let terms = tasks.iter().map(|task| (task.wcet.ns().into(), task.period.ns()));
    compare_total(terms, 1)
}
