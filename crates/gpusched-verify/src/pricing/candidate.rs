//! A task that a candidate partition may contain.

use super::measures::Needs;
use gpusched_model::Kind;

/// A task that a candidate partition on some SMs may contain, either alone of its kind or in conflict.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub task: usize,
    pub kind: Option<Kind>,
    /// Dual price [units].
    pub price: i64,
    pub needs: Needs,
}
