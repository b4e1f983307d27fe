//! A partition with interference delay by other partitions.

use crate::interference::bandwidth::Delay;
use crate::schedulability::Demand;

/// Steps of one test after which it gives up as [`Undecided`](gpusched_model::verdict::Evidence::Undecided); a step is O(n).
pub const STEP_LIMIT: u64 = 100_000;

/// A partition that shares a memory with other partitions and sources.
#[derive(Copy, Clone, Debug)]
pub struct Contended<'a> {
    /// Demands of its tasks in isolation.
    pub demands: &'a [Demand],
    /// Demands of the tasks at their guaranteed bandwidth, if it gives finite WCETs.
    pub slowest: Option<&'a [Demand]>,
    /// Interference delay by the other partitions and sources.
    pub delay: &'a Delay,
}

impl Contended<'_> {
    /// Whether the partition has no interference delay.
    pub(super) fn undisturbed(&self) -> bool {
        self.delay.is_none() || self.slowest.is_some_and(|slowest| slowest == self.demands)
    }
}
