//! Interference delay of partitions that share a memory. This is a model of gpusched;
//! `docs/explanation/shared-memory.md` has the proof.
//!
//! * [`source`]: the number of bytes that one task, or another source of traffic, transfers in
//!   any window of time;
//! * [`load`]: the number of bytes that a partition transfers in any window, if the partition executes one kernel at a
//!   time;
//! * [`delay`]: the interference delay of a partition;
//! * [`memory_time`]: the delay that one job causes, computed from L2 sectors instead of bytes;
//! * [`ports`]: the delay that one job causes at ports of TPCs and GPCs;
//! * `instance`: the WCET of a kernel on a MIG instance with its own memory slices;
//! * [`fair`]: the guaranteed memory bandwidth of a kernel, and its WCET at this bandwidth.
//!
//! The unit of traffic is the nano-byte. One byte per second equals one nano-byte per nanosecond,
//! so rates need no rounding. Sums and products saturate at the largest number. Saturation is
//! safe, because traffic of this size exceeds every capacity.

pub mod delay;
pub mod fair;
pub(crate) mod instance;
pub mod load;
pub mod memory_time;
pub mod ports;
pub mod source;

pub use delay::Delay;
pub use load::Load;
pub use ports::{PortModel, Shared};
pub use source::Source;
