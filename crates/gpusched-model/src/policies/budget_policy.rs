//! Budget policies ([Aghilinasab20] §V): rules that distribute the slack of a kernel that runs faster than its worst
//! case.

use serde::{Deserialize, Serialize};

/// Budget policy: rule that chooses the memory bandwidth budget of the next regulation period.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum BudgetPolicy {
    /// The nominal budget in every regulation period.
    #[default]
    Nominal,
    /// The slack is divided equally among all remaining regulation periods (Algorithm 2).
    Fair,
    /// The whole slack is used in the next regulation period (Eq. 22).
    Greedy,
    /// The budget of `greedy`, smoothed by a filter, but at least the budget of `fair` (Eq. 23).
    Smooth,
}

impl BudgetPolicy {
    /// All budget policies, in the order of the paper.
    pub const ALL: [BudgetPolicy; 4] = [
        BudgetPolicy::Nominal,
        BudgetPolicy::Fair,
        BudgetPolicy::Greedy,
        BudgetPolicy::Smooth,
    ];

    /// Returns the name of the policy in files.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
