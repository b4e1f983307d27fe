//! Which part of the GPU is at which cycle: clock domains, and parts that go ahead or have nothing to do.

pub(super) mod ahead;
pub(super) mod clocks;
pub(super) mod late;
mod lead;
mod skip;
pub(super) mod wakes;
