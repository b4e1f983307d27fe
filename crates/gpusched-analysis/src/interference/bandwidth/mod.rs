//! Partitions that share a memory: how long the traffic of the others can hold one up. Ours; `docs/models.md` has the proof.
//!
//! * [`source`]: the bytes of one task, or of traffic that no task causes, in any window of time;
//! * [`load`]: the same for a partition, which runs one kernel at a time;
//! * [`delay`]: the time that a partition can lose to the others;
//! * `instance`: a kernel on an instance with memory slices of its own;
//! * [`fair`]: the slowest that a kernel runs, from what it has for certain.
//!
//! Traffic is counted in nano-bytes: a rate of 1 byte per second moves 1 nano-byte per nanosecond, so that nothing is rounded.
//! Sums and products saturate: too much traffic is as good as the largest number.

pub mod delay;
pub mod fair;
pub(crate) mod instance;
pub mod load;
pub mod source;

pub use delay::Delay;
pub use load::Load;
pub use source::Source;
