//! What every event-driven simulator needs: a queue of events in the order of time.

mod queue;

pub use queue::EventQueue;
