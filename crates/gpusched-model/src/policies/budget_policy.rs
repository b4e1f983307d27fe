//! Budget policies: who gets the slack of a kernel that is ahead of its worst case ([Aghilinasab20] §V).

use serde::{Deserialize, Serialize};

/// How the budget of the next regulation period is chosen.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum BudgetPolicy {
    /// Always the nominal budget.
    #[default]
    Nominal,
    /// The slack is shared equally among all remaining periods (Algorithm 2).
    Fair,
    /// The next period gets all of it (Eq. 22).
    Greedy,
    /// Greedy through a filter, and never below fair (Eq. 23).
    Smooth,
}

impl BudgetPolicy {
    /// All of them, in the order of the paper.
    pub const ALL: [BudgetPolicy; 4] = [
        BudgetPolicy::Nominal,
        BudgetPolicy::Fair,
        BudgetPolicy::Greedy,
        BudgetPolicy::Smooth,
    ];

    /// The name as in files.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
