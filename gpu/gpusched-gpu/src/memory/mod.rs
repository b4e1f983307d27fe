//! Memory system outside the SMs: the crossbar, the slices of L2 and the DRAM channels.

pub mod cache;
mod channel;
mod credits;
mod crossbar;
pub mod events;
mod outbox;
mod partition;
mod ports;
pub mod request;
pub mod ring;
mod slice;

pub use channel::Place;
pub use crossbar::Crossbar;
pub use outbox::Outbox;
pub use partition::{Partition, PartitionParameters};
pub use ports::Ports;
pub use slice::Slice;
