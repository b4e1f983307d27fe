//! Many optima in a few numbers.

use serde::{Deserialize, Serialize};

use super::{Estimate, Finish, Moments, PolicySummary, Tally};
use crate::regulation::{Optimum, Run};
use gpusched_analysis::bandwidth::BudgetPolicy;
use gpusched_model::time::Time;

/// How much budgets could give away that knew each run beforehand.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OptimumSummary {
    /// The most memory requests of best-effort cores while the kernel runs and ends in time, whatever the budgets.
    pub limit: Estimate,
    /// Their memory requests under budgets planned in advance.
    pub requests: Estimate,
    /// By which share these are more than under NOMINAL, run by run; absent if there are none under NOMINAL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub improvement: Option<Estimate>,
    /// Which share of the limit they are, run by run; absent if the limit is 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_limit: Option<Estimate>,
    /// The mean of Q over the periods of a run.
    pub q_mean: Estimate,
    /// The standard deviation of Q over the periods of a run.
    pub q_std: Estimate,
    /// When the kernel ends [ns].
    pub finish_ns: Finish,
    /// The nominal WCET less the last of these [ns].
    pub margin_ns: f64,
    /// The runs for which no plan ends in time.
    pub late_runs: u64,
    /// The runs in which the fluid's own plan, which knows neither blocks nor bursts, ends late.
    pub fluid_late_runs: u64,
}

/// Optima, added up one after the other.
#[derive(Clone, Debug)]
pub struct OptimumTally {
    limit: Moments,
    planned: Tally,
    fluid_late: u64,
}

impl OptimumTally {
    /// No runs yet of a kernel that must end by `deadline`.
    pub fn new(deadline: Time) -> OptimumTally {
        OptimumTally {
            limit: Moments::default(),
            planned: Tally::new(BudgetPolicy::Nominal, deadline),
            fluid_late: 0,
        }
    }

    /// Adds `optimum` of a run that is under NOMINAL as `nominal`.
    pub fn add(&mut self, optimum: &Optimum, nominal: &Run) {
        self.limit.add(optimum.limit);
        self.planned.add(&optimum.run, nominal);
        self.planned.compare(&optimum.run, optimum.limit);
        self.fluid_late += u64::from(optimum.fluid_late);
    }

    /// What there is so far.
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
