//! The core of every event-driven simulator: a queue of events in time order.

mod queue;

pub use queue::EventQueue;
