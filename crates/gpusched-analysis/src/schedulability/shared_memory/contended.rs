//! A partition to which other partitions cause interference delay.

use crate::interference::bandwidth::Delay;
use crate::schedulability::Demand;

/// Number of steps of one test after which it gives up with [`Undecided`](gpusched_model::verdict::Evidence::Undecided). A step
/// takes O(n) time.
pub const STEP_LIMIT: u64 = 100_000;

/// A partition that shares a memory with other partitions and sources.
#[derive(Copy, Clone, Debug)]
pub struct Contended<'a> {
    /// Demands of the tasks in isolation.
    pub demands: &'a [Demand],
    /// Demands of the tasks at their guaranteed bandwidth. `None` if a WCET at this bandwidth is unbounded.
    pub slowest: Option<&'a [Demand]>,
    /// Interference delay that other partitions and sources cause.
    pub delay: &'a Delay,
}

impl Contended<'_> {
    /// Returns whether the partition has no interference delay.
    pub(super) fn undisturbed(&self) -> bool {
        self.delay.is_none() || self.slowest.is_some_and(|slowest| slowest == self.demands)
    }
}
