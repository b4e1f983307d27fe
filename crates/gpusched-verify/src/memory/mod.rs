//! Partitions and the memory.
//!
//! * `lost`: the time that a partition loses to the traffic of others at a memory that all share;
//! * `disturbed`: the evidence of a partition that loses time;
//! * `slices`: MIG instances, which have a part of the memory each.

mod delayed;
mod lost;
mod slices;

pub(super) use delayed::DelayedPartition;
pub(super) use lost::Beside;
pub(super) use slices::Slices;
