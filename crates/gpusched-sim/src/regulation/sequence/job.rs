//! What became of the jobs of one run.

use serde::{Deserialize, Serialize};

use gpusched_analysis::bandwidth::BudgetPolicy;
use gpusched_model::time::Time;

/// One execution of a kernel; instants count from the first possible release.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// The kernel, by position.
    pub kernel: usize,
    /// Which of its jobs, from 0.
    pub job: u64,
    /// When it was released [ns].
    pub release_ns: Time,
    /// When it started [ns].
    pub start_ns: Time,
    /// When it ended, rounded up to a whole nanosecond [ns].
    pub finish_ns: Time,
    /// From its release to its end [ns].
    pub response_ns: Time,
    /// When it must have ended [ns]; absent without a deadline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_ns: Option<Time>,
    /// Whether it ended after that.
    pub missed: bool,
    /// G(Q̄) less the time from its start to its end [ns]; negative: it ended after its nominal WCET.
    pub margin_ns: i64,
    /// Memory requests of best-effort cores while it ran.
    pub requests: f64,
}

impl Job {
    /// Whether it ended after its nominal WCET.
    pub fn late(&self) -> bool {
        self.margin_ns < 0
    }
}

/// A regulation period, or the part of one before or after a kernel starts or ends.
#[derive(Clone, PartialEq, Debug)]
pub struct Stretch {
    /// When it begins, after the first possible release.
    pub begin: Time,
    /// When it ends.
    pub end: Time,
    /// The kernel that runs, by position, and which of its jobs; `None`: no kernel does.
    pub job: Option<(usize, u64)>,
    /// The share of a regulation period in which best-effort cores may access memory, from here to the end of the period;
    /// 1 while no kernel runs.
    pub q: f64,
    /// The blocks of each cluster that are not done, as the decision saw them.
    pub remaining: Vec<u64>,
    /// Memory requests of best-effort cores.
    pub requests: f64,
    /// The memory time that the rest of the kernel can bear beyond the nominal budget in all its periods [ns]; `None` if it
    /// can bear any traffic, or no kernel runs.
    pub slack: Option<i64>,
}

/// One run of all kernels under one policy.
#[derive(Clone, PartialEq, Debug)]
pub struct SequenceRun {
    /// Its number.
    pub run: u64,
    /// The policy.
    pub policy: BudgetPolicy,
    /// The jobs, by their starts.
    pub jobs: Vec<Job>,
    /// Memory requests of best-effort cores while kernels ran.
    pub running_requests: f64,
    /// Memory requests while none did.
    pub idle_requests: f64,
    /// How long none did [ns].
    pub idle: Time,
    /// How long all that took [ns].
    pub length: Time,
    /// Each stretch of it, if asked for.
    pub stretches: Vec<Stretch>,
}
