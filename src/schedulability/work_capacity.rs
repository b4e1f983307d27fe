//! The `work-capacity` reading of [Singh21] §3.6: Cᵢ(m) ≤ Dᵢ for each task and Σ workᵢ/Tᵢ ≤ m.
//!
//! A necessary condition only, as if the SMs of a partition could be shared without loss. It proves nothing, and is
//! offered because it brings the curves of the published figures to where the thesis has them.

use std::cmp::Ordering;

use super::Demand;
use crate::model::utilization::compare_total;
use crate::model::verdict::Evidence;

/// Whether the work fits the capacity of `sms` SMs.
pub fn test(demands: &[Demand], sms: u32) -> Evidence {
    if let Some((task, demand)) = demands
        .iter()
        .enumerate()
        .find(|(_, demand)| demand.wcet > demand.deadline)
    {
        return Evidence::WcetExceedsDeadline {
            task,
            wcet_ns: demand.wcet,
            deadline_ns: demand.deadline,
        };
    }
    let work = demands
        .iter()
        .map(|demand| (demand.least_work, demand.period.ns()));
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
