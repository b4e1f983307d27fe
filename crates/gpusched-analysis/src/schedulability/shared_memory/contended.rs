//! A partition that other partitions delay.

use crate::interference::bandwidth::Delay;
use crate::schedulability::Demand;
use gpusched_model::utilization::Utilization;

/// Number of steps after which one test gives up with
/// [`Undecided`](gpusched_model::verdict::Evidence::Undecided). A step takes O(n) time for n
/// tasks.
pub const STEP_LIMIT: u64 = 100_000;

/// A partition that shares a memory with other partitions and other sources of traffic.
#[derive(Copy, Clone, Debug)]
pub struct Contended<'a> {
    /// Demands of the tasks in isolation.
    pub demands: &'a [Demand],
    /// Demands of the tasks if every kernel has only its guaranteed bandwidth. `None` if a WCET at this bandwidth is
    /// unbounded.
    pub slowest: Option<&'a [Demand]>,
    /// Interference delay that other partitions and other sources of traffic cause.
    pub delay: &'a Delay,
}

impl Contended<'_> {
    /// Returns whether the interference delay of the partition is 0.
    pub(super) fn undisturbed(&self) -> bool {
        self.delay.is_none() || self.slowest.is_some_and(|slowest| slowest == self.demands)
    }

    /// Whether no busy window ever ends: in every window of length t, the tasks need more than t, with the interference
    /// delay and also at the guaranteed bandwidth. The tests of EDF then fail, but the recurrence of the busy window may
    /// take very many steps.
    pub(super) fn is_overloaded(&self) -> bool {
        let share = |demands: &[Demand]| -> Utilization {
            demands
                .iter()
                .map(|demand| Utilization::of(demand.wcet, demand.period))
                .sum()
        };
        let lost = Utilization::of_units(self.delay.least_share());
        share(self.demands) + lost > Utilization::ONE
            && self
                .slowest
                .is_none_or(|slowest| share(slowest) > Utilization::ONE)
    }
}
