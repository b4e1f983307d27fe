//! The `work-capacity` reading of [Singh21] §3.6: Cⁿᵢ(m) ≤ Dᵢ for each task and Σ workᵢ/Tᵢ ≤ m.
//!
//! A necessary condition only, as if the SMs of a partition could be shared without loss. It proves nothing, and is
//! offered because it brings the curves of the published figures to where the thesis has them.
//!
//! Company counts in the work, not in the deadline condition: with Cᶜᵢ(m) ≤ Dᵢ the baseline 1G would fall from U = 30
//! on, and the golden values are met only without.

use std::cmp::Ordering;

use super::Demand;
use crate::model::utilization::compare_total;
use crate::model::verdict::Evidence;

/// Whether the work fits the capacity of `sms` SMs.
pub fn test(demands: &[Demand], sms: u32) -> Evidence {
    if let Some((task, demand)) = demands
        .iter()
        .enumerate()
        .find(|(_, demand)| demand.capacity.wcet_alone > demand.deadline)
    {
        return Evidence::WcetExceedsDeadline {
            task,
            wcet_ns: demand.capacity.wcet_alone,
            deadline_ns: demand.deadline,
        };
    }
    let work = demands
        .iter()
        .map(|demand| (demand.capacity.least_work, demand.period.ns()));
    match compare_total(work, sms.into()) {
        Ordering::Greater => Evidence::WorkExceedsCapacity,
        Ordering::Equal | Ordering::Less => Evidence::WorkWithinCapacity,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Time;

    fn demand(least_work: u128, wcet: u64, period: u64, deadline: u64) -> Demand {
        let mut demand = Demand::new(
            Time::from_ns(wcet),
            Time::from_ns(period),
            Time::from_ns(deadline),
        );
        demand.capacity.least_work = least_work;
        demand
    }

    #[test]
    fn both_conditions_count() {
        let fits = demand(20, 10, 10, 10);
        assert_eq!(test(&[fits, fits], 4), Evidence::WorkWithinCapacity);
        assert_eq!(
            test(&[fits, fits, demand(1, 1, 1000, 1)], 4),
            Evidence::WorkExceedsCapacity
        );
        assert!(matches!(
            test(&[fits, demand(1, 5, 10, 4)], 4),
            Evidence::WcetExceedsDeadline { task: 1, .. }
        ));
    }
}
