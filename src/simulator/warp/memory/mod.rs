//! Below the SMs: the crossbar, the slices of L2, the DRAM channels.

mod channel;
mod credits;
mod crossbar;
mod partition;
mod ports;
mod slice;

pub use channel::Place;
pub use crossbar::Crossbar;
pub use partition::{Partition, PartitionParameters};
pub use ports::Ports;
pub use slice::Slice;
