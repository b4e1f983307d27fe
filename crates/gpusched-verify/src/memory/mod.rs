//! Partitions that share a memory, and partitions that are MIG instances.
//!
//! * `lost`: the interference delay of a partition due to the memory traffic of other partitions
//!   and sources;
//! * `delayed`: the evidence of a partition with interference delay;
//! * `time`: the memory times of jobs;
//! * `slices`: the memory slices of MIG instances.

mod delayed;
mod lost;
mod slices;
mod time;

pub(super) use delayed::DelayedPartition;
pub(super) use lost::{Beside, Source};
pub(super) use slices::Slices;
pub(super) use time::WriteBacks;
