//! Progress of simulated time: clock domains, parts of the GPU that run ahead, and skipped cycles.

pub(super) mod ahead;
pub(super) mod clocks;
pub(super) mod late;
mod lead;
mod skip;
pub(super) mod wakes;
