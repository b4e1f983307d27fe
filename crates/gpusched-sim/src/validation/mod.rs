//! Validation of the analysis by simulation. Only this module uses both.
//!
//! * [`system`]: converts the input of an analysis for the simulator;
//! * [`draw`]: random task sets with a GPU, a policy, a heuristic and an interference model;
//! * [`runs`]: simulated release patterns of a partition;
//! * [`check`]: checks that one partition keeps the guarantees of the analysis;
//! * [`campaign`]: many systems, on any number of threads and in several sessions;
//! * [`shared`]: validation of partitions that share a memory;
//! * [`minimise`]: minimises a partition that violates a guarantee.

pub mod campaign;
pub mod check;
mod checkpoint;
pub mod draw;
pub mod minimise;
pub mod runs;
pub mod shared;
pub mod system;
mod tally;

pub use campaign::{Campaign, Report};
pub use minimise::Reproducer;
pub use tally::PolicyTally;
