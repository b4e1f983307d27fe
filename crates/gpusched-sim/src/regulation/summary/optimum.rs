//! Summary of the results of planned budgets, over many runs.

use serde::{Deserialize, Serialize};

use super::{Estimate, Finish, Moments, PolicySummary, Tally};
use crate::regulation::{Optimum, Run};
use gpusched_analysis::bandwidth::BudgetPolicy;
use gpusched_model::time::Time;

/// Results of planned budgets. gpusched plans these budgets before the run, from the times of all blocks.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OptimumSummary {
    /// Upper bound on the number of memory requests of best-effort cores while the kernel runs.
    /// The bound is valid for all budgets with which the kernel meets its deadline.
    pub limit: Estimate,
    /// Number of memory requests of best-effort cores under planned budgets.
    pub requests: Estimate,
    /// Relative increase of `requests`, compared with the run of the same number under the policy NOMINAL. Absent if
    /// best-effort cores have no requests under NOMINAL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub improvement: Option<Estimate>,
    /// Ratio of `requests` to `limit`, computed for each run. Absent if the limit is 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_limit: Option<Estimate>,
    /// Mean of the budget Q over the regulation periods of a run.
    pub q_mean: Estimate,
    /// Standard deviation of the budget Q over the regulation periods of a run.
    pub q_std: Estimate,
    /// End of the kernel, counted from its start [ns].
    pub finish_ns: Finish,
    /// Smallest margin: nominal WCET minus the latest end of the kernel [ns].
    pub margin_ns: f64,
    /// Number of runs for which gpusched found no plan that meets the deadline.
    pub late_runs: u64,
    /// Number of runs for which the first plan misses the deadline. The first plan treats the
    /// blocks as a fluid and ignores bursts.
    pub fluid_late_runs: u64,
}

/// Accumulates the results of planned budgets.
#[derive(Clone, Debug)]
pub struct OptimumTally {
    limit: Moments,
    planned: Tally,
    fluid_late: u64,
}

impl OptimumTally {
    /// Creates an empty tally for a kernel with deadline `deadline`.
    pub fn new(deadline: Time) -> OptimumTally {
        OptimumTally {
            limit: Moments::default(),
            planned: Tally::new(BudgetPolicy::Nominal, deadline),
            fluid_late: 0,
        }
    }

    /// Adds the `optimum` of one run. `nominal` is the run under the policy NOMINAL with the same number as
    /// `optimum.run`.
    pub fn add(&mut self, optimum: &Optimum, nominal: &Run) {
        self.limit.add(optimum.limit);
        self.planned.add(&optimum.run, nominal);
        self.planned.compare(&optimum.run, optimum.limit);
        self.fluid_late += u64::from(optimum.fluid_late);
    }

    /// Returns the summary of all added runs.
    pub fn summary(&self) -> OptimumSummary {
        let PolicySummary {
            requests,
            improvement,
            of_limit,
            q_mean,
            q_std,
            finish_ns,
            margin_ns,
            late_runs,
            ..
        } = self.planned.summary();
        OptimumSummary {
            limit: self.limit.estimate(),
            requests,
            improvement,
            of_limit,
            q_mean,
            q_std,
            finish_ns,
            margin_ns,
            late_runs,
            fluid_late_runs: self.fluid_late,
        }
    }
}
