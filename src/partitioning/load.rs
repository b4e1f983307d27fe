//! What a look at the utilization already tells about a partition, before any test runs.

use std::ops::Add;

use crate::model::utilization::Utilization;
use crate::model::{Policy, Task};
use crate::time::Time;

/// Bounds on the load of a partition [2⁻⁴⁸]; the sum of those of its tasks. D' = D − J is the deadline from the release.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Load {
    /// Σ C/T, each term rounded down; the largest number if a WCET is unknown.
    least: u64,
    /// Σ C/min(T, D'), each term rounded up; the largest number if a task is late even alone.
    most: u64,
}

impl Load {
    /// No task.
    pub const NONE: Load = Load { least: 0, most: 0 };

    /// A task whose WCET is unknown.
    pub const UNKNOWN: Load = Load {
        least: u64::MAX,
        most: u64::MAX,
    };

    /// Whether this is the load of no task; no WCET is zero.
    pub fn is_none(self) -> bool {
        self.most == 0
    }

    /// The load of `task` with that C(m).
    pub fn of(task: &Task, wcet: Time) -> Load {
        let deadline = task.deadline().checked_sub(task.jitter()).unwrap_or_default();
        Load {
            least: Utilization::of(wcet, task.period()).saturated(),
            most: if wcet <= deadline {
                Utilization::at_most(wcet, deadline.min(task.period())).saturated()
            } else {
                u64::MAX
            },
        }
    }

    /// The answer of `policy`'s test, where the load alone gives it.
    ///
    /// * U > 1, C > D' for some task, or an unknown WCET: no test of deadlines passes.
    /// * Density Σ C/min(T, D') ≤ 1: preemptive EDF meets all deadlines, because
    ///   dbf(t) = Σ max(0, ⌊(t − D')/T⌋ + 1)·C ≤ Σ t·C/min(T, D').
    ///
    /// The terms are rounded to the safe side, so that rounding can only leave the answer open.
    pub fn verdict(self, policy: Policy) -> Option<bool> {
        const ONE: u64 = Utilization::ONE.saturated();
        if policy.counts_work() {
            None // of another measure
        } else if self.least > ONE || self.most == u64::MAX {
            Some(false)
        } else if matches!(policy, Policy::Edf | Policy::Density) && self.most <= ONE {
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
            least: self.least.saturating_add(other.least),
            most: self.most.saturating_add(other.most),
        }
    }
}
