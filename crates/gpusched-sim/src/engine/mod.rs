//! The common part of all event-driven simulators: a queue of events in time order.

mod queue;

pub use queue::EventQueue;
