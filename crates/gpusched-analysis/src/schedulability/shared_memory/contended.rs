//! A partition that loses time to others.

use crate::interference::bandwidth::Delay;
use crate::schedulability::Demand;

/// Steps of one test after which it gives up as [`Undecided`](gpusched_model::verdict::Evidence::Undecided); a step is O(n).
pub const STEP_LIMIT: u64 = 100_000;

/// What a partition has to cope with.
#[derive(Copy, Clone, Debug)]
pub struct Contended<'a> {
    /// What its tasks ask for when nobody disturbs them.
    pub demands: &'a [Demand],
    /// The same tasks at their slowest, if there is such a time.
    pub slowest: Option<&'a [Demand]>,
    /// The time that it loses to others.
    pub delay: &'a Delay,
}

impl Contended<'_> {
    /// Whether others can hold up anything at all.
    pub(super) fn undisturbed(&self) -> bool {
        self.delay.is_none() || self.slowest.is_some_and(|slowest| slowest == self.demands)
    }
}
