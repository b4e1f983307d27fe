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

#[cfg(test)]
mod tests {
    use super::*;
    use gpusched_model::time::Time;

    fn demand(least_work: u128, wcet: u64, period: u64, deadline: u64) -> Demand {
        Demand {
            least_work,
            ..Demand::new(
                Time::from_ns(wcet),
                Time::from_ns(period),
                Time::from_ns(deadline),
            )
        }
    }

    #[test]
    fn work_counts_exactly() {
        let half = demand(20, 10, 10, 10);
        assert_eq!(test(&[half, half], 4), Evidence::WorkWithinCapacity);
        let more = [half, half, demand(1, 1, 1000, 1)];
        assert_eq!(test(&more, 4), Evidence::WorkExceedsCapacity);
    }

    #[test]
    fn deadlines_count_in_one_of_the_two() {
        let late = [demand(1, 1, 10, 10), demand(1, 5, 10, 4)];
        assert_eq!(test(&late, 4), Evidence::WorkWithinCapacity);
        assert!(matches!(
            test_with_deadlines(&late, 4),
            Evidence::WcetExceedsDeadline { task: 1, .. }
        ));
    }
}
