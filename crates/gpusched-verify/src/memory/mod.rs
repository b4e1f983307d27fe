//! Partitions that share a memory, and MIG instances.
//!
//! * `lost`: the interference delay of a partition by the memory traffic of other partitions and sources;
//! * `delayed`: the evidence of a partition with interference delay;
//! * `slices`: MIG instances, where each instance has a part of the memory.

mod delayed;
mod lost;
mod slices;

pub(super) use delayed::DelayedPartition;
pub(super) use lost::Beside;
pub(super) use slices::Slices;
