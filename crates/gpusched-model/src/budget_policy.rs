//! Budget policies: who gets the slack of a kernel that is ahead of its worst case ([Aghilinasab20] §V).

use serde::{Deserialize, Serialize};

/// How the budget of the next regulation period is chosen.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
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
    pub const fn name(self) -> &'static str {
        match self {
            BudgetPolicy::Nominal => "nominal",
            BudgetPolicy::Fair => "fair",
            BudgetPolicy::Greedy => "greedy",
            BudgetPolicy::Smooth => "smooth",
        }
    }
}

impl std::fmt::Display for BudgetPolicy {
    /// [`BudgetPolicy::name`].
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}
