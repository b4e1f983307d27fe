//! Records of the jobs of one run.

use serde::{Deserialize, Serialize};

use gpusched_analysis::bandwidth::BudgetPolicy;
use gpusched_model::time::Time;

/// One execution of a kernel. Times count from the first possible release.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// Position of the kernel.
    pub kernel: usize,
    /// Number of the job of this kernel, from 0.
    pub job: u64,
    /// Release [ns].
    pub release_ns: Time,
    /// Start [ns].
    pub start_ns: Time,
    /// End, rounded up to a whole nanosecond [ns].
    pub finish_ns: Time,
    /// Response time, from release to end [ns].
    pub response_ns: Time,
    /// Absolute deadline [ns]; absent without a deadline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_ns: Option<Time>,
    /// Whether the job missed its deadline.
    pub missed: bool,
    /// G(Q̄) − execution time from start to end [ns]; negative if the job ended after its nominal WCET.
    pub margin_ns: i64,
    /// Memory requests of best-effort cores while the job ran.
    pub requests: f64,
}

impl Job {
    /// Returns whether the job ended after its nominal WCET.
    pub fn late(&self) -> bool {
        self.margin_ns < 0
    }
}

/// A regulation period, or a part of one before or after the start or the end of a kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct Stretch {
    /// Start, counted from the first possible release.
    pub begin: Time,
    /// End, counted from the first possible release.
    pub end: Time,
    /// Position of the running kernel and number of its job. `None` while no kernel runs.
    pub job: Option<(usize, u64)>,
    /// Share of a regulation period during which best-effort cores may access memory, from here to the end of the period. 1
    /// while no kernel runs.
    pub q: f64,
    /// Incomplete blocks of each cluster at the decision.
    pub remaining: Vec<u64>,
    /// Memory requests of best-effort cores.
    pub requests: f64,
    /// Memory time that the rest of the kernel tolerates beyond the nominal budgets of all its periods [ns]. `None` if it
    /// tolerates any traffic, or if no kernel runs.
    pub slack: Option<i64>,
}

/// One run of all kernels under one policy.
#[derive(Clone, PartialEq, Debug)]
pub struct SequenceRun {
    /// Number of the run.
    pub run: u64,
    /// Policy of the run.
    pub policy: BudgetPolicy,
    /// Jobs by start.
    pub jobs: Vec<Job>,
    /// Memory requests of best-effort cores while a kernel ran.
    pub running_requests: f64,
    /// Memory requests of best-effort cores while no kernel ran.
    pub idle_requests: f64,
    /// Total time without a running kernel [ns].
    pub idle: Time,
    /// Length of the run [ns].
    pub length: Time,
    /// Each stretch of the run, if requested.
    pub stretches: Vec<Stretch>,
}
