//! Runs of the cycle-level GPU as timelines, in which a cycle is a nanosecond.

mod gpu;
mod subcore;

pub use gpu::chart;
pub use subcore::Chart;
