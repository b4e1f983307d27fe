//! Observers of end-to-end jobs: maximum response times, times of chains, and charts.

pub(super) mod chains;
pub(super) mod chart;
pub(super) mod observed;
