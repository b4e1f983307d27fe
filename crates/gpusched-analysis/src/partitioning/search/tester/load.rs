//! Derives the test result from the utilization or density of a partition, without a full test.

use std::ops::Add;

use crate::partitioning::problem::Problem;
use gpusched_model::time::Time;
use gpusched_model::utilization::Utilization;
use gpusched_model::{Policy, Task};

/// A lower bound on the utilization and an upper bound on the density of a partition [2⁻⁴⁸]. Both are sums over the
/// tasks. D' = D − J is the deadline relative to the latest release.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Load {
    /// Σ C/T, with each term rounded down. The value is `u64::MAX` if a WCET is unknown, or if a
    /// task misses its deadline even in isolation.
    least: u64,
    /// Σ C/min(T, D'), where each term is rounded up.
    most: u64,
}

impl Load {
    /// Load of a partition without tasks.
    pub const NONE: Load = Load { least: 0, most: 0 };

    /// Load of a task that misses its deadline even in isolation, or that has an unknown WCET.
    pub const LATE: Load = Load {
        least: u64::MAX,
        most: u64::MAX,
    };

    /// Whether this is the load of a partition without tasks. A WCET is never 0.
    pub fn is_none(self) -> bool {
        self.most == 0
    }

    /// Whether the WCETs of all tasks are known, and at most D − J. If the result is `false`, this may also hold.
    pub fn is_known(self) -> bool {
        self.least < u64::MAX
    }

    /// Returns Σ C/T, with each term rounded down to a multiple of 2⁻⁴⁸, or `None` if the load
    /// does not determine the utilization.
    pub fn utilization(self) -> Option<Utilization> {
        self.is_known().then(|| Utilization::of_units(self.least))
    }

    /// Returns the result of the test of `policy` if the load determines this result.
    ///
    /// * U > 1, C > D' for some task, or an unknown WCET: every test of deadlines fails.
    /// * Density Σ C/min(T, D') ≤ 1: preemptive EDF meets all deadlines, because dbf(t) = Σ max(0, ⌊(t − D')/T⌋ + 1)·C ≤ Σ
    ///   t·C/min(T, D').
    ///
    /// Rounding may prevent a conclusion, but it never causes a wrong conclusion.
    pub fn verdict(self, policy: Policy) -> Option<bool> {
        const ONE: u64 = Utilization::ONE.saturated();
        if policy.counts_work() {
            None // these tests use another measure
        } else if self.least > ONE {
            Some(false)
        } else if matches!(policy, Policy::Edf | Policy::Density) && self.most <= ONE {
            Some(true)
        } else {
            None
        }
    }
}

/// Constants of the load of a task, which do not depend on C(m).
#[derive(Copy, Clone, Debug)]
pub(crate) struct Frame {
    period: Time,
    /// D' = D − J of the task.
    deadline: Time,
    /// T/min(T, D') [2⁻⁴⁸], rounded up. With this value, the tester divides once per task instead of once per load.
    stretch: u64,
}

impl Frame {
    pub fn of(problem: &Problem<'_>, task: &Task) -> Frame {
        let deadline = Time::from_ns(problem.due(task));
        Frame {
            period: task.period(),
            deadline,
            stretch: Utilization::at_most(task.period(), deadline.min(task.period())).saturated(),
        }
    }

    /// Returns the load of the task for the WCET `wcet`.
    pub fn load(&self, wcet: Time) -> Load {
        if wcet > self.deadline {
            return Load::LATE;
        }
        let least = Utilization::of(wcet, self.period).saturated();
        let density = (u128::from(least) + 1) * u128::from(self.stretch);
        Load {
            least,
            most: match self.stretch {
                u64::MAX => u64::MAX, // T/D' is out of range
                _ => u64::try_from((density >> 48) + 1).unwrap_or(u64::MAX),
            },
        }
    }
}

impl Add for Load {
    type Output = Load;

    /// Adds two loads. The sum saturates, so a sum that contains [`Load::LATE`] is
    /// [`Load::LATE`].
    fn add(self, other: Load) -> Load {
        Load {
            least: self.least.saturating_add(other.least),
            most: self.most.saturating_add(other.most),
        }
    }
}
