//! Metrics that simulate a GPU at the level of thread blocks ([Sanudo20]).

pub(super) mod mapping;
pub(super) mod misprediction;
pub(super) mod occupancy;
mod placement;
pub(super) mod scenario;
