//! Observers of thread blocks: charts, overviews and records.

pub(super) mod chart;
pub(super) mod overview;
pub(super) mod record;
