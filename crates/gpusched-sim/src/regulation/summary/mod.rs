//! Many runs in a few numbers.

mod optimum;
mod policy;

pub use optimum::{OptimumSummary, OptimumTally};
pub use policy::{Estimate, Finish, PolicySummary, Tally};

pub(super) use policy::Moments;

use serde::{Deserialize, Serialize};

use super::Setting;
use gpusched_model::time::Time;
use gpusched_model::{Factor, Straddling};

/// What became of a kernel and of best-effort cores in many runs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// The kernel, if it has a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Q̄.
    pub nominal_q: Factor,
    /// Which blocks count as hit although memory time covers them in part only, in the bound and in decisions.
    pub straddling: Straddling,
    /// G(Q̄): when the kernel must have ended [ns].
    pub wcet_nominal_ns: Time,
    /// What was assumed.
    pub setting: Setting,
    /// The number of runs under each policy.
    pub runs: u64,
    /// The seed of everything random.
    pub seed: u64,
    /// The recorded runs that were replayed, where block times are those of a trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Recorded>,
    /// One entry per policy.
    pub policies: Vec<PolicySummary>,
    /// How much more there could be, if asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimum: Option<OptimumSummary>,
}

/// The recorded runs of a trace; after the last the first comes again.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    /// At q = 0.
    pub isolated: u64,
    /// At q = 1.
    pub interference: u64,
}
