//! Validation of partitions that share a memory, by simulation with [`crate::shared_runs`].
//!
//! * [`draw`] generates random systems of two to four partitions, with memory traffic of tasks
//!   and of other sources.
//! * [`hardware`] places these systems on partitions of real GPUs.
//! * [`campaign`] counts, for each analysis, the accepted systems and their deadline misses.

pub mod campaign;
pub mod draw;
pub mod hardware;

pub use campaign::{Campaign, Report, Tally};
