//! The `work-capacity` analysis variant of [Singh21] §3.6: Σ workᵢ/Tᵢ ≤ m, optionally with Cᵢ(m)
//! ≤ Dᵢ. workᵢ is the least work of task i, and m is the number of SMs.
//!
//! The conditions are only necessary, because they assume that tasks share the SMs of a partition without loss. A set
//! that passes may still miss deadlines. gpusched offers this variant because its curves match the published figures of
//! the thesis.

use std::cmp::Ordering;

use super::Demand;
use gpusched_model::utilization::compare_total;
use gpusched_model::verdict::Evidence;

/// Tests whether Σ workᵢ/Tᵢ is at most the capacity of `sms` SMs. The test ignores deadlines.
pub fn test(demands: &[Demand], sms: u32) -> Evidence {
    let work = demands
        .iter()
        .map(|demand| (demand.least_work, demand.period.ns()));
    match compare_total(work, sms.into()) {
        Ordering::Greater => Evidence::WorkExceedsCapacity,
        Ordering::Equal | Ordering::Less => Evidence::WorkWithinCapacity,
    }
}

/// Tests the capacity, and whether each task meets its deadline in isolation.
pub fn test_with_deadlines(demands: &[Demand], sms: u32) -> Evidence {
    match demands
        .iter()
        .enumerate()
        .find(|(_, demand)| demand.wcet > demand.deadline)
    {
        Some((task, demand)) => Evidence::WcetExceedsDeadline {
            task,
            wcet_ns: demand.wcet,
            deadline_ns: demand.deadline,
        },
        None => test(demands, sms),
    }
}
