//! Measurements of kernels: which samples to take, and what their times show. Without input and output: an [`Executor`] runs the
//! samples, on a GPU or on a simulated GPU.
//!
//! * `protocol`: the series of a measurement, and the loop over them;
//! * `statistics`: what the times of a series show;
//! * `conditions`: the GPU and its state during a measurement;
//! * [`overhead`]: the overheads of dispatchers;
//! * `topology`: TPCs, GPCs and the order of the SMs, from observed thread blocks.

mod conditions;
pub mod overhead;
mod protocol;
mod statistics;
mod topology;

pub use conditions::{Conditions, Range};
pub use protocol::{
    Cache, Contention, Executor, Load, Measured, Neighbor, Protocol, Sample, Series, measure,
};
pub use statistics::{Envelope, LEVEL, Statistics, envelope, statistics};
pub use topology::{Topology, sm_order};
