//! Records of the jobs and stretches of one run.

use serde::{Deserialize, Serialize};

use gpusched_analysis::bandwidth::BudgetPolicy;
use gpusched_model::time::Time;

/// One execution of a kernel. All points in time count from time 0 of the run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// Index of the kernel in the system.
    pub kernel: usize,
    /// Number of the job among the jobs of its kernel, from 0.
    pub job: u64,
    /// Release of the job [ns].
    pub release_ns: Time,
    /// Start of the job [ns].
    pub start_ns: Time,
    /// End of the job, rounded up to a whole nanosecond [ns].
    pub finish_ns: Time,
    /// Response time: time from the release of the job to its end [ns].
    pub response_ns: Time,
    /// Absolute deadline of the job [ns]. Absent if the kernel has no deadline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_ns: Option<Time>,
    /// Whether the job missed its deadline.
    pub missed: bool,
    /// Nominal WCET G(Q̄), minus the time from the start of the job to its end [ns]. Negative if
    /// the job ran longer than its nominal WCET.
    pub margin_ns: i64,
    /// Number of memory requests of best-effort cores while the job ran.
    pub requests: f64,
}

impl Job {
    /// Returns whether the job ran longer than its nominal WCET.
    pub fn late(&self) -> bool {
        self.margin_ns < 0
    }
}

/// A stretch is a regulation period or a part of a regulation period. The starts and ends of kernels divide regulation
/// periods into stretches.
#[derive(Clone, PartialEq, Debug)]
pub struct Stretch {
    /// Start of the stretch, counted from time 0 of the run.
    pub begin: Time,
    /// End of the stretch, counted from time 0 of the run.
    pub end: Time,
    /// Index of the running kernel, with the number of its job. `None` while no kernel runs.
    pub job: Option<(usize, u64)>,
    /// Budget Q of best-effort cores, as a share of a whole period. It applies from the start of the stretch to the end
    /// of the regulation period. Q is 1 while no kernel runs.
    pub q: f64,
    /// Number of incomplete blocks in each cluster when the governor decides on the budget.
    pub remaining: Vec<u64>,
    /// Number of memory requests of best-effort cores in this stretch.
    pub requests: f64,
    /// Largest memory time of best-effort cores with which the remaining blocks still meet the deadline, minus the
    /// nominal budgets of all remaining periods [ns]. `None` if these blocks meet the deadline under any memory
    /// traffic, or if no kernel runs.
    pub slack: Option<i64>,
}

/// One run of all kernels under one budget policy.
#[derive(Clone, PartialEq, Debug)]
pub struct SequenceRun {
    /// Number of the run.
    pub run: u64,
    /// Budget policy of the run.
    pub policy: BudgetPolicy,
    /// Jobs of the run, sorted by their starts.
    pub jobs: Vec<Job>,
    /// Number of memory requests of best-effort cores while a kernel ran.
    pub running_requests: f64,
    /// Number of memory requests of best-effort cores while no kernel ran.
    pub idle_requests: f64,
    /// Total time during which no kernel ran [ns].
    pub idle: Time,
    /// Length of the run [ns].
    pub length: Time,
    /// Stretches of the run. Empty if the caller requested no records.
    pub stretches: Vec<Stretch>,
}
