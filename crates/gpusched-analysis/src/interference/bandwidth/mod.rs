//! Interference delay of partitions that share a memory. Model of gpusched; `docs/explanation/shared-memory.md` has the proof.
//!
//! * [`source`]: the number of bytes that one task or other source moves in any window of time;
//! * [`load`]: the number of bytes that a partition moves in any window, if it executes one kernel at a time;
//! * [`delay`]: the interference delay of a partition;
//! * `instance`: the WCET of a kernel on an instance with its own memory slices;
//! * [`fair`]: the guaranteed bandwidth of a kernel, and its WCET at this bandwidth.
//!
//! The unit of traffic is the nano-byte. A rate of 1 byte per second moves 1 nano-byte per nanosecond, so rates need no rounding.
//! Sums and products saturate at the largest number. This is safe, because such traffic already exceeds every capacity.

pub mod delay;
pub mod fair;
pub(crate) mod instance;
pub mod load;
pub mod source;

pub use delay::Delay;
pub use load::Load;
pub use source::Source;
