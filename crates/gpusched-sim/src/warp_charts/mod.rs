//! Timelines of runs of the cycle-level simulators. One nanosecond on the timeline is one cycle.

mod gpu;
mod subcore;

pub use gpu::chart;
pub use subcore::Chart;
