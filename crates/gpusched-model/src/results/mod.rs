//! Results of an analysis, together with their evidence.

pub mod assumptions;
pub(super) mod bound;
pub(super) mod estimated;
mod failure;
mod margin;
pub mod plan;
pub mod verdict;
