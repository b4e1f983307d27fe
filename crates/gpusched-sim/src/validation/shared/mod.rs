//! Partitions that share a memory, analysed and simulated side by side ([`crate::shared_runs`]).
//!
//! * [`draw`]: random systems of two to four partitions, their traffic, and traffic of others;
//! * [`hardware`]: the same systems on partitions of real GPUs;
//! * [`campaign`]: many systems: what each analysis accepts, and what of that misses a deadline.

pub mod campaign;
pub mod draw;
pub mod hardware;

pub use campaign::{Campaign, Report, Tally};
