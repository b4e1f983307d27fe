//! CPU cores that access memory within a budget.

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};

use super::{ScenarioShape, is_default};
use crate::Refusal;
use crate::time::Time;
use crate::{BudgetPolicy, Factor, Kernel, positive_time};

/// CPU cores that access memory, as much as their budget allows, from the beginning of each regulation period on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CpuTraffic {
    /// T: the regulation period.
    #[serde(deserialize_with = "regulation_period")]
    pub regulation_period: Time,
    /// Q: the share of each period in which they access memory; under a policy Q̄, the nominal budget.
    pub budget: Factor,
    /// The bandwidth that they use meanwhile, if they can [bytes per second].
    #[serde(default, skip_serializing_if = "is_default")]
    pub bandwidth: u64,
    /// How the budget of a period is chosen while `kernel` runs.
    #[serde(default, skip_serializing_if = "is_default")]
    pub policy: BudgetPolicy,
    /// The position of the kernel that must end by its bound under the nominal budget; its block times are a profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<usize>,
}

impl CpuTraffic {
    /// The position of the protected kernel of `shape`, and the kernel as bounds and policies know it: M is what fits on its
    /// SMs. `None` if no kernel is protected.
    ///
    /// # Errors
    /// [`Refusal`] for a policy without a kernel, and a kernel without a profile.
    pub fn protected(&self, shape: &ScenarioShape) -> Result<Option<(usize, Kernel)>, Refusal> {
        let Some(position) = self.kernel else {
            return match self.policy {
                BudgetPolicy::Nominal => Ok(None),
                policy => {
                    let expected = format!("the position of the kernel that policy {policy} protects");
                    Refusal::refuse("cpu.kernel".to_owned(), "none".to_owned(), expected)
                }
            };
        };
        let Some(launch) = shape.kernels.get(position) else {
            let expected = format!("a number below {}", shape.kernels.len());
            return Refusal::refuse("cpu.kernel".to_owned(), position.to_string(), expected);
        };
        let field = |name: &str| format!("kernels[{position}].{name}");
        let Some(profile) = launch.block_time.profile() else {
            let expected = "\"profile\", because cpu.kernel names this kernel".to_owned();
            return Refusal::refuse(field("block_time"), "no profile".to_owned(), expected);
        };
        let active = launch.active_blocks(shape.platform.shape());
        let active = u32::try_from(active).unwrap_or(u32::MAX);
        match profile.kernel(active, self.regulation_period) {
            Ok(kernel) => Ok(Some((position, kernel))),
            Err(refusal) => Err(refusal.within(&format!("kernels[{position}]"))),
        }
    }

    /// Whether the budget is one, and the policy has what it needs.
    pub(super) fn check(&self, shape: &ScenarioShape) -> Result<(), Refusal> {
        if self.budget > Factor::ONE {
            let expected = "a number from 0 to 1".to_owned();
            return Refusal::refuse("cpu.budget".to_owned(), self.budget.to_string(), expected);
        }
        self.protected(shape).map(|_| ())
    }
}

fn regulation_period<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Time, D::Error> {
    let time = positive_time(deserializer)?;
    match time.ns() >= 1000 {
        true => Ok(time),
        false => Err(D::Error::custom(format!("found {time}, expected at least 1us"))),
    }
}
