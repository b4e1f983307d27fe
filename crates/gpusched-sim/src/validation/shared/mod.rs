//! Validation of partitions that share a memory, by simulation with [`crate::shared_runs`].
//!
//! * [`draw`]: random systems of two to four partitions, with their traffic and other traffic;
//! * [`hardware`]: these systems on partitions of real GPUs;
//! * [`campaign`]: counts the accepted systems of each analysis and their deadline misses.

pub mod campaign;
pub mod draw;
pub mod hardware;

pub use campaign::{Campaign, Report, Tally};
