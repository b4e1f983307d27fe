//! Budget policies: rules that distribute the slack of a kernel that is ahead of its worst case ([Aghilinasab20] §V).

use serde::{Deserialize, Serialize};

/// Rule that chooses the memory bandwidth budget of the next regulation period.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum BudgetPolicy {
    /// Nominal budget in every period.
    #[default]
    Nominal,
    /// Slack shared equally among all remaining periods (Algorithm 2).
    Fair,
    /// All slack for the next period (Eq. 22).
    Greedy,
    /// `greedy` smoothed by a filter, and at least `fair` (Eq. 23).
    Smooth,
}

impl BudgetPolicy {
    /// All policies in the order of the paper.
    pub const ALL: [BudgetPolicy; 4] = [
        BudgetPolicy::Nominal,
        BudgetPolicy::Fair,
        BudgetPolicy::Greedy,
        BudgetPolicy::Smooth,
    ];

    /// Returns the name in files.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
