//! Metrics of WCET bounds for kernels whose blocks form clusters ([Aghilinasab20]).

pub(super) mod curve;
pub(super) mod execution;
pub(super) mod kernels;
pub(super) mod nominal;
pub(super) mod percentile;
pub(super) mod planted;
pub(super) mod splits;
pub(super) mod variants;
