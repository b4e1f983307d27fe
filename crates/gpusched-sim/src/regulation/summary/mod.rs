//! Summary of many runs.

mod optimum;
mod policy;

pub use optimum::{OptimumSummary, OptimumTally};
pub use policy::{Estimate, Finish, PolicySummary, Tally};

pub(super) use policy::Moments;

use serde::{Deserialize, Serialize};

use super::Setting;
use gpusched_model::time::Time;
use gpusched_model::{Factor, Straddling};

/// Results of a kernel and best-effort cores over many runs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// Name of the kernel, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Nominal budget Q̄, as a share of a regulation period.
    pub nominal_q: Factor,
    /// Blocks that count as delayed although memory time covers only a part of them, in the bound and in decisions.
    pub straddling: Straddling,
    /// Nominal WCET G(Q̄): deadline of the kernel, counted from its start [ns].
    pub wcet_nominal_ns: Time,
    /// Assumptions of the simulation.
    pub setting: Setting,
    /// Number of runs under each policy.
    pub runs: u64,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Number of measured runs that were replayed. Absent if block times do not come from a trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Recorded>,
    /// Results of each policy.
    pub policies: Vec<PolicySummary>,
    /// Results of planned budgets and their upper bound, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimum: Option<OptimumSummary>,
}

/// Numbers of measured runs in a trace. After the last run, the first run follows.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    /// Number of runs at q = 0.
    pub isolated: u64,
    /// Number of runs at q = 1.
    pub interference: u64,
}
