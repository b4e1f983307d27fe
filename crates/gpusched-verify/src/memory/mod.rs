//! Partitions that share a memory.
//!
//! * `lost`: the interference delay of a partition due to the memory traffic of other partitions
//!   and sources;
//! * `delayed`: the evidence of a partition with interference delay.

mod delayed;
mod lost;

pub(super) use delayed::DelayedPartition;
pub(super) use lost::{Beside, Source};
