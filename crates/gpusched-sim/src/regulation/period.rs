//! Records of the regulation periods of one run.

use super::Received;
use gpusched_analysis::bandwidth::BudgetPolicy;
use gpusched_model::time::Time;

/// One regulation period of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Period {
    /// Start of the period, counted from the start of the kernel; 0 for the first period.
    pub time: Time,
    /// Budget Q: share of the period during which best-effort cores may access memory.
    pub q: f64,
    /// Number of incomplete blocks in each cluster when the governor decides on the budget.
    pub remaining: Vec<u64>,
    /// Number of memory requests of best-effort cores in this period while the kernel runs.
    pub requests: f64,
    /// Largest memory time of best-effort cores with which the remaining blocks still meet the deadline, minus the
    /// nominal budgets of all remaining periods [ns]. `None` if these blocks meet the deadline under any memory
    /// traffic.
    pub slack: Option<i64>,
}

/// One run under one budget policy.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// Number of the run.
    pub run: u64,
    /// Budget policy of the run.
    pub policy: BudgetPolicy,
    /// End of the last block, counted from the start of the kernel [ns].
    pub finish: f64,
    /// Whether the kernel ran longer than its nominal WCET plus the [`tolerance`].
    pub late: bool,
    /// Number of memory requests of best-effort cores while the kernel ran.
    pub requests: f64,
    /// Number of memory requests of each best-effort core. Empty if the cores have no individual
    /// demands.
    pub cores: Vec<f64>,
    /// Times of each task of the best-effort core. Empty if the core has no tasks.
    pub tasks: Vec<Received>,
    /// Length of all regulation periods during which the kernel ran, to the end of the last one: the sum of the times in `tasks`.
    pub core_time: Time,
    /// Mean of Q over all periods.
    pub q_mean: f64,
    /// Population standard deviation of Q over all periods.
    pub q_std: f64,
    /// Number of regulation periods during which the kernel ran, including partial periods.
    pub count: u64,
    /// Record of each period. Empty if the caller requested no records.
    pub periods: Vec<Period>,
}

/// Returns an upper bound on the rounding error of a finish time [ns]. gpusched compares finish times with the nominal
/// WCET `deadline`. The bound is one billionth of the sum of `deadline` and `period`.
pub fn tolerance(deadline: Time, period: Time) -> f64 {
    1e-9 * (deadline.ns() as f64 + period.ns() as f64)
}
