//! Progress of simulated time: clock domains, parts of the GPU that are simulated ahead, and
//! skipped cycles.

pub(super) mod ahead;
pub(super) mod clocks;
mod lead;
pub(super) mod restart;
mod skip;
pub(super) mod wakes;
mod windows;
