//! Memory traffic: bytes, bytes per second, and who causes how much of it.
//!
//! What [`gpusched_analysis::interference::bandwidth`] makes of it is a bound on the time that a partition loses to others. All numbers are
//! whole: 1 byte per second is 1 nano-byte per nanosecond, so that rates times times need no rounding.

mod bandwidth;
mod bytes;
mod other;
mod peak;
mod quantity;
mod shared;

pub use bandwidth::Bandwidth;
pub use bytes::Bytes;
pub use other::OtherTraffic;
pub use peak::{Peak, PeakError};
pub use quantity::ParseQuantityError;
pub use shared::{Arbitration, SharedMemory};
