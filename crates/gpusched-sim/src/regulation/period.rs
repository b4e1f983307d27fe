//! Records of one run.

use gpusched_analysis::bandwidth::BudgetPolicy;
use gpusched_model::time::Time;

/// One regulation period of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Period {
    /// Start of the period, counted from the start of the kernel; 0 for the first period.
    pub time: Time,
    /// Share of the period during which best-effort cores may access memory.
    pub q: f64,
    /// Incomplete blocks of each cluster at the decision.
    pub remaining: Vec<u64>,
    /// Memory requests of best-effort cores while the kernel runs.
    pub requests: f64,
    /// Memory time that the rest of the kernel tolerates beyond the nominal budgets of all its periods [ns]. `None` if it
    /// tolerates any traffic.
    pub slack: Option<i64>,
}

/// One run under one policy.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// Number of the run.
    pub run: u64,
    /// Policy of the run.
    pub policy: BudgetPolicy,
    /// End of the last block, counted from the start of the kernel [ns].
    pub finish: f64,
    /// Whether the last block ended after the nominal WCET plus the [`tolerance`].
    pub late: bool,
    /// Memory requests of best-effort cores while the kernel ran.
    pub requests: f64,
    /// Memory requests of each core, if cores are separate.
    pub cores: Vec<f64>,
    /// Mean of Q over the periods.
    pub q_mean: f64,
    /// Standard deviation of Q over all periods, not of a sample.
    pub q_std: f64,
    /// Number of periods. The first and the last may be cut.
    pub count: u64,
    /// Each period, if requested.
    pub periods: Vec<Period>,
}

/// Returns how far a finish time may exceed the nominal WCET `deadline` by rounding alone [ns]: a billionth of the sum of
/// `deadline` and `period`.
pub fn tolerance(deadline: Time, period: Time) -> f64 {
    1e-9 * (deadline.ns() as f64 + period.ns() as f64)
}
