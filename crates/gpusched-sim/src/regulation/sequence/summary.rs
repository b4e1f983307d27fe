//! Summary of many runs of several kernels that share one GPU.

use serde::{Deserialize, Serialize};

use super::dispatch::Dispatch;
use super::job::{Job, SequenceRun};
use crate::regulation::summary::Moments;
use crate::regulation::{Estimate, Setting};
use gpusched_analysis::bandwidth::BudgetPolicy;
use gpusched_model::assumptions::Assumption;
use gpusched_model::time::Time;
use gpusched_model::{Factor, Straddling, Verdict};

/// Results of several kernels and of best-effort cores, over many runs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SequenceSummary {
    /// Name of the system. Absent if the system has no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// Regulation period T [ns].
    pub regulation_period_ns: Time,
    /// Hyperperiod: least common multiple of all kernel periods [ns]. Absent if no kernel has a period.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hyperperiod_ns: Option<Time>,
    /// Length of a run [ns]. All policies have runs of equal length.
    pub horizon_ns: Time,
    /// Rule that chooses the next kernel when the GPU becomes free.
    pub dispatch: Dispatch,
    /// Rule that decides whether a block counts as delayed if best-effort cores access memory during only a part of its
    /// execution. WCET bounds and decisions use this rule.
    pub straddling: Straddling,
    /// Assumptions of the simulation. Here, `offset_ns` is the time from the start of a regulation period to time 0 of
    /// the run.
    pub setting: Setting,
    /// Number of runs under each budget policy.
    pub runs: u64,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Properties of each kernel of the system.
    pub kernels: Vec<KernelSetting>,
    /// Verdict of a schedulability test that uses the nominal WCETs. Absent if no kernel has a
    /// deadline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Results under each budget policy.
    pub policies: Vec<SequencePolicy>,
    /// Assumptions of the result. gpusched does not check these assumptions. Absent in results of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assumptions: Option<Vec<Assumption>>,
}

/// Properties of one kernel of the system.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct KernelSetting {
    /// Name of the kernel. Absent if the kernel has no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Time between two consecutive releases of the kernel [ns]. Absent if the kernel is released only once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period_ns: Option<Time>,
    /// First release of the kernel [ns].
    pub offset_ns: Time,
    /// Relative deadline of each job, counted from the release of the job [ns].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ns: Option<Time>,
    /// Nominal budget Q̄, as a share of a regulation period.
    pub nominal_q: Factor,
    /// Nominal WCET G(Q̄): longest time from the start of a job to its end under the nominal budget [ns].
    pub wcet_nominal_ns: Time,
    /// Number of jobs of the kernel in one run.
    pub jobs: u64,
}

/// Results of all runs under one budget policy.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SequencePolicy {
    /// Budget policy of the runs.
    pub policy: BudgetPolicy,
    /// Number of memory requests of best-effort cores in a whole run.
    pub requests: Estimate,
    /// Relative increase of `requests`, compared with the run of the same number under the policy NOMINAL. Absent if
    /// best-effort cores have no requests under NOMINAL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub improvement: Option<Estimate>,
    /// Number of memory requests of best-effort cores while a kernel runs.
    pub running_requests: Estimate,
    /// Relative increase of `running_requests`, compared with the run of the same number under the policy NOMINAL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running_improvement: Option<Estimate>,
    /// Share of the run during which no kernel runs. Best-effort cores are not regulated during
    /// this time.
    pub idle_share: Estimate,
    /// Number of jobs that miss their deadlines, over all runs.
    pub missed_jobs: u64,
    /// Number of jobs that run longer than their nominal WCETs, over all runs.
    pub late_jobs: u64,
    /// Worst results of each kernel, over all runs.
    pub kernels: Vec<KernelOutcome>,
    /// Jobs of the first run, sorted by their starts.
    pub jobs: Vec<Job>,
}

/// Worst results of one kernel, over all runs.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct KernelOutcome {
    /// Longest response time: time from the release of a job to its end [ns].
    pub response_ns: Time,
    /// Smallest margin: G(Q̄) minus the time from the start of a job to its end [ns].
    pub margin_ns: i64,
    /// Number of jobs of the kernel that miss their deadlines.
    pub missed_jobs: u64,
    /// Number of jobs of the kernel that run longer than their nominal WCETs.
    pub late_jobs: u64,
}

/// Accumulates the results of runs under one budget policy.
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
    /// Creates an empty tally for `kernels` kernels.
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

    /// Adds the results of `run`. `nominal` is the run with number `run.run` under the policy
    /// NOMINAL.
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

    /// Returns the summary of all added runs.
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
