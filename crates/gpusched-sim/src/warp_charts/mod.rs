//! Timelines of runs of the cycle-level GPU. A cycle is drawn as a nanosecond.

mod gpu;
mod subcore;

pub use gpu::chart;
pub use subcore::Chart;
