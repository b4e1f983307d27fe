//! Observers of thread blocks: charts, overviews, records, and whether kernels share SMs.

pub(super) mod chart;
pub(super) mod overview;
pub(super) mod record;
pub(super) mod sharing;
