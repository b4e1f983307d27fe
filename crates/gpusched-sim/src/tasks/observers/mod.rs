//! Observers of jobs: charts, occupancy and counts.

pub(super) mod chart;
pub(super) mod occupancy;
pub(super) mod tally;
