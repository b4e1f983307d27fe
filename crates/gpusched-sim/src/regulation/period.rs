//! What a run was like.

use gpusched_analysis::bandwidth::BudgetPolicy;
use gpusched_model::time::Time;

/// One regulation period of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Period {
    /// When it begins, after the start of the kernel; 0 for the one the kernel starts in.
    pub time: Time,
    /// The share of the period in which best-effort cores may access memory.
    pub q: f64,
    /// The blocks of each cluster that are not done, as the decision saw them.
    pub remaining: Vec<u64>,
    /// Memory requests of best-effort cores while the kernel runs.
    pub requests: f64,
    /// The memory time that the rest of the kernel can bear beyond the nominal budget in all its periods [ns]; `None` if it can
    /// bear any traffic.
    pub slack: Option<i64>,
}

/// One run under one policy.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// Its number.
    pub run: u64,
    /// The policy.
    pub policy: BudgetPolicy,
    /// When the last block ended, after the start of the kernel [ns].
    pub finish: f64,
    /// Whether that was after the nominal WCET, by more than the [`tolerance`].
    pub late: bool,
    /// Memory requests of best-effort cores while the kernel ran.
    pub requests: f64,
    /// Those of each core, where cores are told apart.
    pub cores: Vec<f64>,
    /// The mean of Q over the periods.
    pub q_mean: f64,
    /// Its standard deviation over the periods (all of them, not a sample).
    pub q_std: f64,
    /// The number of periods, of which the first and the last may be cut.
    pub count: u64,
    /// Each of them, if asked for.
    pub periods: Vec<Period>,
}

/// By how much a finish time may exceed a nominal WCET of `deadline` and still pass for rounding [ns]: a billionth of it and of
/// a period.
pub fn tolerance(deadline: Time, period: Time) -> f64 {
    1e-9 * (deadline.ns() as f64 + period.ns() as f64)
}
