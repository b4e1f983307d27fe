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
