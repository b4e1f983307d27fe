//! What a look at the utilization already tells about a partition, before any test runs.

use std::ops::Add;

use crate::model::Policy;
use crate::model::utilization::Utilization;
use crate::schedulability::Demand;

/// Bounds on the load of a partition; the sum of those of its tasks.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Load {
    /// Σ C/T, each term rounded down; [`Utilization::MAX`] if a WCET is unknown.
    pub least: Utilization,
    /// Σ C/min(T, D − J), each term rounded up; [`Utilization::MAX`] if a task is late even alone.
    pub most: Utilization,
}

impl Load {
    /// No task.
    pub const NONE: Load = Load {
        least: Utilization::ZERO,
        most: Utilization::ZERO,
    };

    const UNKNOWN: Load = Load {
        least: Utilization::MAX,
        most: Utilization::MAX,
    };

    /// The load of one task; `None` stands for an unknown WCET.
    pub fn of(demand: Option<Demand>) -> Load {
        demand.map_or(Load::UNKNOWN, |demand| Load {
            least: Utilization::of(demand.wcet, demand.period),
            most: match demand.deadline.checked_sub(demand.jitter) {
                Some(urgency) if demand.wcet <= urgency => {
                    Utilization::at_most(demand.wcet, urgency.min(demand.period))
                }
                _ => Utilization::MAX,
            },
        })
    }

    /// The answer of `policy`'s test, where the load alone gives it.
    ///
    /// * U > 1, C > D − J for some task, or an unknown WCET: no test of deadlines passes.
    /// * Density Σ C/min(T, D') ≤ 1 with D' = D − J: preemptive EDF meets all deadlines, because
    ///   dbf(t) = Σ max(0, ⌊(t − D')/T⌋ + 1)·C ≤ Σ t·C/min(T, D').
    ///
    /// The terms are rounded to the safe side, so that rounding can only leave the answer open.
    pub fn verdict(&self, policy: Policy) -> Option<bool> {
        if policy.counts_work() {
            None // of another measure
        } else if self.least > Utilization::ONE || self.most == Utilization::MAX {
            Some(false)
        } else if matches!(policy, Policy::Edf | Policy::Density) && self.most <= Utilization::ONE {
            Some(true)
        } else {
            None
        }
    }
}

impl Add for Load {
    type Output = Load;

    /// Saturates, so that what is unknown or late stays so in company.
    fn add(self, other: Load) -> Load {
        Load {
            least: self.least + other.least,
            most: self.most + other.most,
        }
    }
}
