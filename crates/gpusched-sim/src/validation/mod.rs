//! Validation of the analysis by simulation: random systems that the analysis accepts are simulated.
//!
//! * [`system`] converts the input of an analysis to the input of a simulator.
//! * [`draw`] generates random task sets, each with a GPU, a policy, a heuristic and an
//!   interference model.
//! * [`runs`] lists the release patterns under which a partition is simulated.
//! * [`check`] checks the guarantees of the analysis for one partition.
//! * [`campaign`] checks many systems, on any number of threads and in several sessions.
//! * [`shared`] validates partitions that share a memory.
//! * [`end_to_end`] validates the end-to-end analysis.
//! * [`minimise`] minimises a partition that violates a guarantee.

pub mod campaign;
pub mod check;
pub mod draw;
pub mod end_to_end;
pub mod minimise;
pub mod runs;
pub mod shared;
pub mod system;
mod tally;

pub use campaign::{Campaign, Report};
pub use minimise::Reproducer;
pub use tally::PolicyTally;
