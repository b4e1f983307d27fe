//! Memory traffic: amounts, rates and sources.
//!
//! [`gpusched_analysis::interference::bandwidth`] uses this data to bound the interference delay
//! of each partition. All numbers are integers. A rate of 1 byte per second equals 1 nano-byte
//! per nanosecond, so products of rates and times need no rounding.

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
