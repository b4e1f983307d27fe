//! Results of an analysis, together with their evidence.

pub mod assumptions;
pub(super) mod bound;
pub(super) mod estimated;
mod failure;
pub mod identity;
mod margin;
pub mod plan;
pub mod verdict;
