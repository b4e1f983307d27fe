//! Analysis against simulation: the only module that knows both.
//!
//! * [`system`]: what an analysis looked at, as the simulator runs it;
//! * [`draw`]: random task sets with a GPU, a policy, a heuristic and an interference model;
//! * [`runs`]: the releases that a partition is simulated under;
//! * [`check`]: one partition: does it keep what the analysis promises?
//! * [`campaign`]: many systems, on any number of threads, in any number of sittings;
//! * [`shared`]: the same for partitions that share a memory;
//! * [`minimise`]: the smallest partition that breaks a promise.

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
