//! Timelines of runs of the simulators at the level of cycles. One nanosecond on the timeline is one cycle.

mod gpu;
mod subcore;

pub use gpu::chart;
pub use subcore::Chart;
