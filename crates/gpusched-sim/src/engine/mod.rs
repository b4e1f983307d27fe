//! The common parts of event-driven simulators: queues of events in time order.

mod queue;
pub mod tournament;

pub use queue::EventQueue;
