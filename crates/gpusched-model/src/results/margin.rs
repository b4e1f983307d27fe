//! How much longer all kernels of a plan may take together.

use serde::{Deserialize, Serialize};

use super::plan::{Failure, LowerBound};

/// The largest factor that is looked for, in thousandths; it stands for all larger ones.
pub const LARGEST_SCALING: u64 = 1_000_000;

/// The common factor by which all WCETs of a plan may grow, and how much larger it is under any other plan.
///
/// The factor multiplies each C(m), in isolation and inflated, and each longest block, rounded up to whole ns.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Margin {
    /// The largest factor at which every partition of the plan passes its test, in thousandths, at least 1000; 1000000
    /// stands for more.
    #[schemars(range(min = 1000, max = LARGEST_SCALING))]
    pub wcet_scaling_permille: u64,
    /// No plan for this GPU has a larger factor, in thousandths; 1000000 stands for no limit.
    #[schemars(range(min = 1000, max = LARGEST_SCALING))]
    pub at_most_permille: u64,
    /// Why no plan exists at `at_most_permille` + 1; absent without a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Failure>,
    /// With the limit `bound-exceeds-gpu`: no plan has fewer SMs at `at_most_permille` + 1. Absent where the search
    /// counts other units than SMs (MIG).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<LowerBound>,
}

impl Margin {
    /// Whether no plan has a larger factor.
    pub fn is_largest(&self) -> bool {
        self.wcet_scaling_permille == self.at_most_permille
    }

    /// By how much the factor of another plan can be larger, relative to that of this plan, in thousandths of a percent,
    /// rounded up.
    pub fn gap_thousandths_of_percent(&self) -> u64 {
        let more = self.at_most_permille.saturating_sub(self.wcet_scaling_permille);
        (more * 100_000).div_ceil(self.wcet_scaling_permille.max(1))
    }
}
