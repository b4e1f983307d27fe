//! Many runs of several kernels in a few numbers.

use serde::{Deserialize, Serialize};

use super::dispatch::Dispatch;
use super::job::{Job, SequenceRun};
use crate::regulation::summary::Moments;
use crate::regulation::{Estimate, Setting};
use gpusched_analysis::bandwidth::BudgetPolicy;
use gpusched_model::time::Time;
use gpusched_model::{Factor, Straddling, Verdict};

/// What became of several kernels and of best-effort cores in many runs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SequenceSummary {
    /// The system, if it has a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// T [ns].
    pub regulation_period_ns: Time,
    /// The least common multiple of the periods [ns]; absent if no kernel has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hyperperiod_ns: Option<Time>,
    /// How long a run takes, the same under all policies [ns].
    pub horizon_ns: Time,
    /// Which kernel is next.
    pub dispatch: Dispatch,
    /// Which blocks count as hit although memory time covers them in part only, in bounds and in decisions.
    pub straddling: Straddling,
    /// What was assumed; the offset is that of time 0.
    pub setting: Setting,
    /// The number of runs under each policy.
    pub runs: u64,
    /// The seed of everything random.
    pub seed: u64,
    /// The kernels.
    pub kernels: Vec<KernelSetting>,
    /// What a schedulability test says beforehand, of kernels that take their nominal WCETs; absent if there is no deadline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// One entry per policy.
    pub policies: Vec<SequencePolicy>,
}

/// One of the kernels.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KernelSetting {
    /// Its name, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The time between two releases [ns]; absent: released once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period_ns: Option<Time>,
    /// The first release [ns].
    pub offset_ns: Time,
    /// When a job must have ended, after its release [ns].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ns: Option<Time>,
    /// Q̄.
    pub nominal_q: Factor,
    /// G(Q̄): when a job must have ended, after its start [ns].
    pub wcet_nominal_ns: Time,
    /// Its jobs in a run.
    pub jobs: u64,
}

/// What became of them under one policy.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SequencePolicy {
    /// The policy.
    pub policy: BudgetPolicy,
    /// Memory requests of best-effort cores, whether or not a kernel runs.
    pub requests: Estimate,
    /// By which share of those under NOMINAL they are more, run by run; absent if there are none under NOMINAL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub improvement: Option<Estimate>,
    /// Those while a kernel runs.
    pub running_requests: Estimate,
    /// By which share of those under NOMINAL these are more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running_improvement: Option<Estimate>,
    /// The share of time in which no kernel runs, and best-effort cores are not regulated.
    pub idle_share: Estimate,
    /// The jobs that miss their deadlines, in all runs.
    pub missed_jobs: u64,
    /// The jobs that end after their nominal WCETs, in all runs.
    pub late_jobs: u64,
    /// The worst of each kernel, in all runs.
    pub kernels: Vec<KernelOutcome>,
    /// The jobs of the first run, by their starts.
    pub jobs: Vec<Job>,
}

/// The worst of one kernel.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KernelOutcome {
    /// The longest time from a release to the end of the job [ns].
    pub response_ns: Time,
    /// The least of G(Q̄) less the time from the start to the end of a job [ns].
    pub margin_ns: i64,
    /// The jobs that miss their deadlines.
    pub missed_jobs: u64,
    /// The jobs that end after their nominal WCETs.
    pub late_jobs: u64,
}

/// Runs under one policy, added up one after the other.
#[derive(Clone, Debug)]
pub struct SequenceTally {
    policy: BudgetPolicy,
    requests: Moments,
    improvement: Moments,
    running: Moments,
    running_improvement: Moments,
    idle: Moments,
    kernels: Vec<KernelOutcome>,
    jobs: Vec<Job>,
}

impl SequenceTally {
    /// No runs yet of `kernels` kernels.
    pub fn new(policy: BudgetPolicy, kernels: usize) -> SequenceTally {
        let none = Moments::default();
        let outcome = KernelOutcome {
            response_ns: Time::ZERO,
            margin_ns: i64::MAX,
            missed_jobs: 0,
            late_jobs: 0,
        };
        SequenceTally {
            policy,
            requests: none,
            improvement: none,
            running: none,
            running_improvement: none,
            idle: none,
            kernels: vec![outcome; kernels],
            jobs: Vec::new(),
        }
    }

    /// Adds `run`, which is under NOMINAL as `nominal`.
    pub fn add(&mut self, run: &SequenceRun, nominal: &SequenceRun) {
        let all = |run: &SequenceRun| run.running_requests + run.idle_requests;
        self.requests.add(all(run));
        if all(nominal) > 0.0 {
            self.improvement.add(all(run) / all(nominal) - 1.0);
        }
        self.running.add(run.running_requests);
        if nominal.running_requests > 0.0 {
            let more = run.running_requests / nominal.running_requests - 1.0;
            self.running_improvement.add(more);
        }
        self.idle
            .add(run.idle.ns() as f64 / run.length.ns().max(1) as f64);
        for job in &run.jobs {
            if let Some(kernel) = self.kernels.get_mut(job.kernel) {
                kernel.response_ns = kernel.response_ns.max(job.response_ns);
                kernel.margin_ns = kernel.margin_ns.min(job.margin_ns);
                kernel.missed_jobs += u64::from(job.missed);
                kernel.late_jobs += u64::from(job.late());
            }
        }
        if run.run == 0 {
            self.jobs.clone_from(&run.jobs);
        }
    }

    /// What there is so far.
    pub fn summary(&self) -> SequencePolicy {
        let some = |moments: &Moments| (moments.count > 0).then(|| moments.estimate());
        SequencePolicy {
            policy: self.policy,
            requests: self.requests.estimate(),
            improvement: some(&self.improvement),
            running_requests: self.running.estimate(),
            running_improvement: some(&self.running_improvement),
            idle_share: self.idle.estimate(),
            missed_jobs: self.kernels.iter().map(|kernel| kernel.missed_jobs).sum(),
            late_jobs: self.kernels.iter().map(|kernel| kernel.late_jobs).sum(),
            kernels: self.kernels.clone(),
            jobs: self.jobs.clone(),
        }
    }
}
