//! Below the SMs: the crossbar, the slices of L2, the DRAM channels.

mod channel;
mod credits;
mod crossbar;
mod partition;
mod slice;

pub use channel::Place;
pub use crossbar::Crossbar;
pub use partition::{Partition, PartitionParameters};
pub use slice::Slice;
