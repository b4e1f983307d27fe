//! Orders of [Singh21] §3.5 that users select: the order of partitions in the list, and the order of merges under the
//! relations ≫ (Definition 3) and > (Definition 4).

use serde::{Deserialize, Serialize};

/// Order of the list of partitions in Algorithm 1. In a tie, the partition with the lowest task position is first.
#[derive(
    Copy,
    Clone,
    PartialEq,
    Eq,
    Hash,
    Debug,
    Default,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumMessage,
    strum::VariantArray,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum ListOrder {
    /// Decreasing utilization of each partition on its own SMs.
    #[default]
    Decreasing,
    /// Increasing utilization of each partition on its own SMs.
    Increasing,
}

/// Meaning of U(P) in Definition 4. The paper prints the definition without periods.
#[derive(
    Copy,
    Clone,
    PartialEq,
    Eq,
    Hash,
    Debug,
    Default,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumMessage,
    strum::VariantArray,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum BfMeasure {
    /// Utilization: Σ C/T.
    #[default]
    Utilization,
    /// Demand: Σ C, as printed in the paper.
    Demand,
}

/// Whether the relation > prefers small or large values of U(P).
#[derive(
    Copy,
    Clone,
    PartialEq,
    Eq,
    Hash,
    Debug,
    Default,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumMessage,
    strum::VariantArray,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum BfDirection {
    /// Smaller values of U(P) are first, as printed in the paper.
    #[default]
    Ascending,
    /// Larger values of U(P) are first, as in the usual best-fit rule.
    Descending,
}

/// Which merge SMS selects among merges whose unions have equally many SMs. The paper does not state a rule.
#[derive(
    Copy,
    Clone,
    PartialEq,
    Eq,
    Hash,
    Debug,
    Default,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumMessage,
    strum::VariantArray,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum SmsTies {
    /// The merge that saves more SMs. If the savings are equal, the first partner in the list.
    #[default]
    Saving,
    /// The partner with the lowest task position.
    Position,
}

impl SmsTies {
    /// Returns whether gpusched omits this value when it writes a study.
    pub fn is_default(&self) -> bool {
        *self == SmsTies::default()
    }
}
