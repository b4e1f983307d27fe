//! WCET margin of a plan: the largest common growth of all kernels.

use serde::{Deserialize, Serialize};

use super::plan::{Failure, LowerBound};

/// Maximum factor of the search, in thousandths. It stands for all larger factors.
pub const LARGEST_SCALING: u64 = 1_000_000;

/// WCET margin of a plan, and an upper bound on the WCET margin of every other plan.
///
/// The factor multiplies each C(m), isolated and inflated, and each longest thread block, rounded up to whole ns.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Margin {
    /// Largest factor at which every partition of the plan passes its test, in thousandths; at least 1000. 1000000 stands for
    /// more.
    #[schemars(range(min = 1000, max = LARGEST_SCALING))]
    pub wcet_scaling_permille: u64,
    /// Upper bound on the factor of every plan for this GPU, in thousandths; 1000000 stands for no limit.
    #[schemars(range(min = 1000, max = LARGEST_SCALING))]
    pub at_most_permille: u64,
    /// Reason why no plan exists at `at_most_permille` + 1; absent without a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Failure>,
    /// Lower bound on the SMs of every plan at `at_most_permille` + 1. Only with the limit `bound-exceeds-gpu`, and absent if
    /// the allocation units of the search are not SMs (MIG).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<LowerBound>,
}

impl Margin {
    /// Whether this plan has the largest factor of all plans.
    pub fn is_largest(&self) -> bool {
        self.wcet_scaling_permille == self.at_most_permille
    }

    /// Returns the optimality gap relative to the factor of this plan, in thousandths of a percent, rounded up.
    pub fn gap_thousandths_of_percent(&self) -> u64 {
        let more = self.at_most_permille.saturating_sub(self.wcet_scaling_permille);
        (more * 100_000).div_ceil(self.wcet_scaling_permille.max(1))
    }
}
