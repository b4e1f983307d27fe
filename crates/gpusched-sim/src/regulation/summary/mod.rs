//! Summary of many runs of one kernel.

mod optimum;
mod policy;

pub use optimum::{OptimumSummary, OptimumTally};
pub use policy::{Estimate, Finish, PolicySummary, Tally};

pub(super) use policy::Moments;

use serde::{Deserialize, Serialize};

use super::Setting;
use gpusched_model::assumptions::Assumption;
use gpusched_model::time::Time;
use gpusched_model::{Factor, Straddling};

/// Results of one kernel and of best-effort cores, over many runs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// Name of the kernel. Absent if the kernel has no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Nominal budget Q̄, as a share of a regulation period.
    pub nominal_q: Factor,
    /// Rule that decides whether a block counts as delayed if best-effort cores access memory during only a part of its
    /// execution. The WCET bound and the decisions use this rule.
    pub straddling: Straddling,
    /// Nominal WCET G(Q̄): deadline of the kernel, counted from its start [ns].
    pub wcet_nominal_ns: Time,
    /// Assumptions of the simulation.
    pub setting: Setting,
    /// Number of runs under each budget policy.
    pub runs: u64,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Numbers of measured runs in the replayed trace. Absent if the block times are not from a
    /// trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Recorded>,
    /// Results under each budget policy.
    pub policies: Vec<PolicySummary>,
    /// Results of planned budgets, and an upper bound on the results of all budgets. Absent if the user requested no
    /// planned budgets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimum: Option<OptimumSummary>,
    /// Assumptions of the result. gpusched does not check these assumptions. Absent in results of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assumptions: Option<Vec<Assumption>>,
}

/// Numbers of measured runs in a trace. After the last measured run, the replay continues with the first run.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    /// Number of measured runs at q = 0, that is, in isolation.
    pub isolated: u64,
    /// Number of measured runs at q = 1, that is, under interference.
    pub interference: u64,
}
