//! The common parts of event-driven simulators: queues of events in time order, and rules for the releases of jobs.

pub(crate) mod few;
mod queue;
pub(crate) mod releases;
pub mod tournament;

pub use queue::EventQueue;
pub use releases::{Arrivals, Jitter, Offsets};
