//! A task that may join a group.

use super::measures::Needs;
use gpusched_model::Kind;

/// A task that a group on some SMs may have, alone of its kind or in conflict.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub task: usize,
    pub kind: Option<Kind>,
    /// In units.
    pub price: i64,
    pub needs: Needs,
}
