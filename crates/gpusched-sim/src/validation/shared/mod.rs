//! Partitions that share a memory, analysed and simulated side by side.
//!
//! * [`draw`]: random systems of two to four partitions, their traffic, and traffic of others;
//! * [`requests`]: when a source of other traffic requests its bytes;
//! * [`run`]: releases, stages of the jobs, and who gets how much bandwidth;
//! * [`campaign`]: many systems: what each analysis accepts, and what of that misses a deadline.

pub mod campaign;
pub mod draw;
mod requests;
pub mod run;

pub use campaign::{Campaign, Report, Tally};
