//! Best-effort CPU cores that access memory within a memory bandwidth budget.

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};

use super::{ScenarioShape, is_default};
use crate::Refusal;
use crate::time::Time;
use crate::time::positive_time;
use crate::{BudgetPolicy, Factor, Kernel};

/// Best-effort CPU cores. From the start of each regulation period, the cores access memory until they have used their
/// memory bandwidth budget.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CpuTraffic {
    /// T: regulation period; at least 1 µs.
    #[serde(deserialize_with = "regulation_period")]
    pub regulation_period: Time,
    /// Q: share of each regulation period, from 0 to 1, during which the CPU cores access memory. If a `policy` other
    /// than `nominal` is present, the value is the nominal budget Q̄.
    pub budget: Factor,
    /// Memory bandwidth that the CPU cores request while they use their budget [bytes per
    /// second]; 0 by default. The CPU cores may receive less.
    #[serde(default, skip_serializing_if = "is_default")]
    pub bandwidth: u64,
    /// Policy that chooses the memory bandwidth budget of each regulation period while `kernel` runs.
    #[serde(default, skip_serializing_if = "is_default")]
    pub policy: BudgetPolicy,
    /// Position of the protected kernel in the list `kernels`. The protected kernel must end
    /// within its bound for the nominal budget, and its `block_time` must be a `profile`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<usize>,
}

impl CpuTraffic {
    /// Returns the protected kernel of `shape`: its position, and the kernel itself as clusters of thread blocks. The
    /// maximum number M of active blocks is the number of blocks that fit on the SMs of the kernel. Returns `None` if
    /// no kernel is protected.
    ///
    /// # Errors
    /// Fails if the policy requires a protected kernel but the scenario states no protected
    /// kernel. Also fails if the protected kernel has no profile.
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
            let expected = format!("a number below {}, the number of kernels", shape.kernels.len());
            return Refusal::refuse("cpu.kernel".to_owned(), position.to_string(), expected);
        };
        let field = |name: &str| format!("kernels[{position}].{name}");
        let Some(profile) = launch.block_time.profile() else {
            let expected = "`profile`, because `cpu.kernel` names this kernel".to_owned();
            return Refusal::refuse(field("block_time"), "no `profile`".to_owned(), expected);
        };
        let active = launch.active_blocks(shape.platform.shape());
        let active = u32::try_from(active).unwrap_or(u32::MAX);
        match profile.kernel(active, self.regulation_period) {
            Ok(kernel) => Ok(Some((position, kernel))),
            Err(refusal) => Err(refusal.within(&format!("kernels[{position}]"))),
        }
    }

    /// Checks that the budget is from 0 to 1. Also checks that there is a protected kernel if the
    /// policy requires one.
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
