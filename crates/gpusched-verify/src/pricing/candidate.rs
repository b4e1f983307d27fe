//! A task that a candidate partition may contain.

use super::measures::Needs;
use gpusched_model::Kind;

/// A task that a candidate partition of a given size may contain. The task is either the only
/// task of its kind in the partition, or in conflict with other tasks.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub task: usize,
    pub kind: Option<Kind>,
    /// Dual price of the task [units].
    pub price: i64,
    pub needs: Needs,
}

impl Candidate {
    /// Returns D − J [ns], or 0 under a policy that counts only work.
    pub fn due(&self) -> u64 {
        self.needs.demand.map_or(0, |demand| demand.due())
    }

    /// Returns the blocking of the task [ns] and its position.
    pub fn rank(&self) -> (u64, usize) {
        (self.needs.demand.map_or(0, |demand| demand.blocking()), self.task)
    }
}
