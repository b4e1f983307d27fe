//! Summary of many runs under one budget policy.

use serde::{Deserialize, Serialize};

use crate::regulation::Run;
use gpusched_analysis::bandwidth::{BudgetPolicy, jain};
use gpusched_model::time::Time;

/// Results of all runs under one budget policy.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PolicySummary {
    /// Budget policy of the runs.
    pub policy: BudgetPolicy,
    /// Number of memory requests of best-effort cores while the kernel runs.
    pub requests: Estimate,
    /// Relative increase of `requests`, compared with the run of the same number under the policy NOMINAL. Absent if
    /// best-effort cores have no requests under NOMINAL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub improvement: Option<Estimate>,
    /// Ratio of `requests` to the upper bound for all possible budgets, computed for each run.
    /// Absent if the bound was not requested or is 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_limit: Option<Estimate>,
    /// Number of memory requests of each best-effort core. Empty if the cores have no individual
    /// demands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cores: Vec<Estimate>,
    /// Jain's fairness index of the requests in `cores`. Absent if there are no requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fairness: Option<Estimate>,
    /// Share of time for which each task of the best-effort core executes. Empty if the core has no tasks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<Estimate>,
    /// Share of time for which the regulation stops the best-effort core. Absent if the core has no tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttled: Option<Estimate>,
    /// Mean of the budget Q over the regulation periods of a run.
    pub q_mean: Estimate,
    /// Standard deviation of the budget Q over the regulation periods of a run.
    pub q_std: Estimate,
    /// End of the kernel, counted from its start [ns].
    pub finish_ns: Finish,
    /// Smallest margin: nominal WCET minus the latest end of the kernel [ns].
    pub margin_ns: f64,
    /// Number of runs that exceed the nominal WCET of the kernel.
    pub late_runs: u64,
}

/// Mean of a quantity over all runs, with its confidence interval.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Estimate {
    /// Mean of the quantity over all runs.
    pub mean: f64,
    /// Lower end of the 95 % confidence interval of the mean (normal approximation). Absent if
    /// there is only one run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Upper end of the 95 % confidence interval of the mean. Absent if there is only one run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}

/// End of a kernel, counted from its start [ns].
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Finish {
    /// Mean end of the kernel over all runs.
    pub mean: f64,
    /// Earliest end of the kernel in any run.
    pub first: f64,
    /// Latest end of the kernel in any run.
    pub last: f64,
}

/// The 97.5 % quantile of the standard normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// Running mean and variance (Welford 1962).
#[derive(Copy, Clone, Debug, Default)]
pub(in crate::regulation) struct Moments {
    pub count: u64,
    mean: f64,
    squares: f64,
}

impl Moments {
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        let before = value - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (value - self.mean);
    }

    pub fn estimate(&self) -> Estimate {
        let count = self.count as f64;
        let half = (self.count > 1).then(|| Z * (self.squares / (count - 1.0) / count).sqrt());
        Estimate {
            mean: self.mean,
            low: half.map(|half| self.mean - half),
            high: half.map(|half| self.mean + half),
        }
    }

    /// Returns the estimate, or `None` if there are no values.
    fn known(&self) -> Option<Estimate> {
        (self.count > 0).then(|| self.estimate())
    }
}

/// Accumulates the results of runs under one budget policy.
#[derive(Clone, Debug)]
pub struct Tally {
    policy: BudgetPolicy,
    deadline: Time,
    requests: Moments,
    improvement: Moments,
    of_limit: Moments,
    cores: Vec<Moments>,
    fairness: Moments,
    tasks: Vec<Moments>,
    throttled: Moments,
    q_mean: Moments,
    q_std: Moments,
    finish: Moments,
    first: f64,
    last: f64,
    late: u64,
}

impl Tally {
    /// Creates an empty tally for a kernel with deadline `deadline`.
    pub fn new(policy: BudgetPolicy, deadline: Time) -> Tally {
        let none = Moments::default();
        Tally {
            policy,
            deadline,
            requests: none,
            improvement: none,
            of_limit: none,
            cores: Vec::new(),
            fairness: none,
            tasks: Vec::new(),
            throttled: none,
            q_mean: none,
            q_std: none,
            finish: none,
            first: f64::INFINITY,
            last: 0.0,
            late: 0,
        }
    }

    /// Adds the results of `run`. `nominal` is the run with number `run.run` under the policy
    /// NOMINAL.
    pub fn add(&mut self, run: &Run, nominal: &Run) {
        self.requests.add(run.requests);
        if nominal.requests > 0.0 {
            self.improvement.add(run.requests / nominal.requests - 1.0);
        }
        self.cores.resize(run.cores.len(), Moments::default());
        for (moments, &requests) in self.cores.iter_mut().zip(&run.cores) {
            moments.add(requests);
        }
        if let Some(index) = jain(&run.cores) {
            self.fairness.add(index);
        }
        let core_time = run.core_time.ns() as f64;
        self.tasks.resize(run.tasks.len(), Moments::default());
        for (moments, task) in self.tasks.iter_mut().zip(&run.tasks) {
            moments.add(task.execution as f64 / core_time);
        }
        if !run.tasks.is_empty() {
            let throttled = run.tasks.iter().map(|task| task.throttled as f64);
            self.throttled.add(throttled.sum::<f64>() / core_time);
        }
        self.q_mean.add(run.q_mean);
        self.q_std.add(run.q_std);
        self.finish.add(run.finish);
        self.first = self.first.min(run.finish);
        self.last = self.last.max(run.finish);
        self.late += u64::from(run.late);
    }

    /// Adds the ratio of the requests of `run` to `limit`, which is an upper bound on the number
    /// of requests.
    pub fn compare(&mut self, run: &Run, limit: f64) {
        if limit > 0.0 {
            self.of_limit.add(run.requests / limit);
        }
    }

    /// Returns the summary of all added runs.
    pub fn summary(&self) -> PolicySummary {
        PolicySummary {
            policy: self.policy,
            requests: self.requests.estimate(),
            improvement: self.improvement.known(),
            of_limit: self.of_limit.known(),
            cores: self.cores.iter().map(Moments::estimate).collect(),
            fairness: self.fairness.known(),
            tasks: self.tasks.iter().map(Moments::estimate).collect(),
            throttled: self.throttled.known(),
            q_mean: self.q_mean.estimate(),
            q_std: self.q_std.estimate(),
            finish_ns: Finish {
                mean: self.finish.mean,
                first: self.first,
                last: self.last,
            },
            margin_ns: self.deadline.ns() as f64 - self.last,
            late_runs: self.late,
        }
    }
}
