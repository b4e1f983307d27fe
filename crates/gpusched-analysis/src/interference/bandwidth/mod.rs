//! Interference delay between partitions that share a memory. Model of gpusched; `docs/explanation/shared-memory.md` has the proof.
//!
//! * [`source`]: the bytes that one task or other source moves in any window of time;
//! * [`load`]: the bytes that a partition moves, which executes one kernel at a time;
//! * [`delay`]: the interference delay of a partition;
//! * `instance`: a kernel on an instance with its own memory slices;
//! * [`fair`]: the guaranteed bandwidth of a kernel, and its WCET at this bandwidth.
//!
//! Traffic is counted in nano-bytes. A rate of 1 byte per second moves 1 nano-byte per nanosecond, so rates need no rounding. Sums
//! and products saturate, which is safe: traffic beyond the largest number already exceeds every capacity.

pub mod delay;
pub mod fair;
pub(crate) mod instance;
pub mod load;
pub mod source;

pub use delay::Delay;
pub use load::Load;
pub use source::Source;
