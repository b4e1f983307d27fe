//! Metrics that simulate a GPU at the level of warps.

mod budgets;
pub(super) mod co_runs;
pub(super) mod shared_sms;
pub(super) mod warps;
