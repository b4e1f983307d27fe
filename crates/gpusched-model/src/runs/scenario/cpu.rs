//! CPU cores that access memory within a memory bandwidth budget.

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};

use super::{ScenarioShape, is_default};
use crate::Refusal;
use crate::time::Time;
use crate::{BudgetPolicy, Factor, Kernel, positive_time};

/// Best-effort CPU cores. They access memory from the start of each regulation period until their memory bandwidth budget is
/// used.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CpuTraffic {
    /// T: regulation period; at least 1 µs.
    #[serde(deserialize_with = "regulation_period")]
    pub regulation_period: Time,
    /// Q: share of each period when the CPU cores access memory, from 0 to 1. With a `policy`, it is the nominal budget Q̄.
    pub budget: Factor,
    /// Memory bandwidth that the CPU cores use within their budget, if available [bytes per second]; 0 by default.
    #[serde(default, skip_serializing_if = "is_default")]
    pub bandwidth: u64,
    /// Policy that chooses the budget of each period while `kernel` runs.
    #[serde(default, skip_serializing_if = "is_default")]
    pub policy: BudgetPolicy,
    /// Position of the protected kernel, which must end by its bound under the nominal budget. Its `block_time` is a `profile`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<usize>,
}

impl CpuTraffic {
    /// Returns the position of the protected kernel of `shape`, and the kernel in the form that bounds and policies use. M is
    /// the number of its blocks that fit on its SMs. Returns `None` if no kernel is protected.
    ///
    /// # Errors
    /// Fails for a policy without a kernel, and for a kernel without a profile.
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

    /// Checks that the budget is from 0 to 1 and that the policy has the kernel that it needs.
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
