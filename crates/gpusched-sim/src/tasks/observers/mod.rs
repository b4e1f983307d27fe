//! Observers of jobs: what they draw, and what they count.

pub(super) mod chart;
pub(super) mod occupancy;
pub(super) mod tally;
