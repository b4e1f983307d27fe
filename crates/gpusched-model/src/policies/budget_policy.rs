//! Budget policies ([Aghilinasab20] §V). If a kernel runs faster than in the worst case, a budget policy converts the
//! saved time to memory bandwidth budget for best-effort cores.

use serde::{Deserialize, Serialize};

/// Budget policy: rule that chooses the memory bandwidth budget of the next regulation period.
/// *Slack* is the time that a kernel has saved compared with its worst case.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum BudgetPolicy {
    /// The policy chooses the nominal budget in every regulation period.
    #[default]
    Nominal,
    /// The policy divides the slack equally among all remaining regulation periods (Algorithm 2).
    Fair,
    /// The policy uses the whole slack in the next regulation period (Eq. 22).
    Greedy,
    /// The policy smooths the budget of `greedy` with a filter. The result is never below the budget of `fair` (Eq.
    /// 23).
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
