//! dbf(t), the demand that EDF has to serve (Baruah, Mok & Rosier, RTSS 1990).

use crate::schedulability::Demand;

/// dbf(t): the demand of all jobs arrived and due within an interval of length `interval` [ns].
pub fn demand_bound(demands: &[Demand], interval: u64) -> u128 {
    demands.iter().fold(0u128, |total, demand| {
        total.saturating_add(demand.within(interval))
    })
}

/// The latest deadline before `interval` of a job of the synchronous schedule [ns].
pub(super) fn last_deadline_before(demands: &[Demand], interval: u64) -> Option<u64> {
    demands
        .iter()
        .filter_map(|demand| demand.last_deadline_before(interval))
        .max()
}
