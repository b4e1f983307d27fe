//! WCET margin of a plan: the largest factor by which the WCETs of all kernels may grow together.

use serde::{Deserialize, Serialize};

use super::failure::{Failure, LowerBound};

/// Maximum factor that the search tries, in thousandths. In a result, this value means a factor of 1000 or larger.
pub const LARGEST_SCALING: u64 = 1_000_000;

/// WCET margin of a plan, and an upper bound on the WCET margins of all plans.
///
/// The factor multiplies the isolated and the inflated WCET of each task, and the length of its longest thread block.
/// gpusched rounds the products up to whole nanoseconds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Margin {
    /// Largest factor for which every partition of the plan passes its test, in thousandths; at
    /// least 1000. The value 1000000 means that the factor is 1000 or larger.
    #[cfg_attr(feature = "schema", schemars(range(min = 1000, max = LARGEST_SCALING)))]
    pub wcet_scaling_permille: u64,
    /// Upper bound on the factor of every plan for this GPU, in thousandths. The value 1000000 means that gpusched
    /// found no limit.
    #[cfg_attr(feature = "schema", schemars(range(min = 1000, max = LARGEST_SCALING)))]
    pub at_most_permille: u64,
    /// Reason why no plan exists for a factor of `at_most_permille` + 1 thousandths. Absent if gpusched found no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Failure>,
    /// Lower bound on the SMs that every plan needs for a factor of `at_most_permille` + 1 thousandths. Present if
    /// `limit` is `bound-exceeds-gpu` and the search allocates single SMs. Absent under MIG.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<LowerBound>,
}

impl Margin {
    /// Returns whether gpusched has proven that the factor of this plan is the largest factor of all plans.
    pub fn is_largest(&self) -> bool {
        self.wcet_scaling_permille == self.at_most_permille
    }

    /// Returns the optimality gap of the margin, relative to the factor of this plan. The result
    /// is in thousandths of a percent, rounded up.
    pub fn gap_thousandths_of_percent(&self) -> u64 {
        let more = self.at_most_permille.saturating_sub(self.wcet_scaling_permille);
        (more * 100_000).div_ceil(self.wcet_scaling_permille.max(1))
    }
}
