//! Objective of a search.

use serde::{Deserialize, Serialize};

/// Search objective.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Objective {
    /// A plan with as few SMs as possible.
    #[default]
    Sms,
    /// The first plan that fits the GPU.
    Feasible,
    /// The plan with the largest WCET margin, a common factor by which all WCETs may grow. Ties:
    /// the fewest SMs.
    Margin,
}

impl Objective {
    /// Whether this value is the default. Files omit a default value.
    pub fn is_default(&self) -> bool {
        *self == Objective::default()
    }
}
