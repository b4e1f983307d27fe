//! Progress of the parts of the GPU: clock domains, parts that run ahead, and parts without work.

pub(super) mod ahead;
pub(super) mod clocks;
pub(super) mod late;
mod lead;
mod skip;
pub(super) mod wakes;
