//! Memory traffic: amounts, rates and sources.
//!
//! [`gpusched_analysis::interference::bandwidth`] uses this data to bound the interference delay
//! of each partition. All numbers are integers. A rate of 1 byte per second equals 1 nano-byte
//! per nanosecond, so products of rates and times need no rounding.

mod bandwidth;
mod bytes;
mod memory_time;
mod other;
mod peak;
mod quantity;
mod sectors;
mod shared;

pub use bandwidth::Bandwidth;
pub use bytes::Bytes;
pub use memory_time::{MemoryRates, MemoryTime, RateForm, Rates};
pub use other::OtherTraffic;
pub use peak::{Peak, PeakError};
pub use quantity::ParseQuantityError;
pub use sectors::{Drain, Sectors};
pub use shared::{Arbitration, SharedMemory};
