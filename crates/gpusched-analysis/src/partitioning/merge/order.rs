//! The orders of [Singh21] §3.5 that users select: the order of the list of partitions, and the order of merges under >
//! (Definition 4).

use serde::{Deserialize, Serialize};

/// Order of the list of partitions in Algorithm 1. Ties: the lowest task position first.
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
    schemars::JsonSchema,
    strum::Display,
    strum::EnumMessage,
    strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum ListOrder {
    /// Decreasing utilization at the partition's size.
    #[default]
    Decreasing,
    /// Increasing utilization at the partition's size.
    Increasing,
}

/// Meaning of U(P) in Definition 4, which the paper prints without periods.
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
    schemars::JsonSchema,
    strum::Display,
    strum::EnumMessage,
    strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum BfMeasure {
    /// Utilization: Σ C/T.
    #[default]
    Utilization,
    /// Demand: Σ C, as printed in the paper.
    Demand,
}

/// Value of U(P) that the relation > prefers.
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
    schemars::JsonSchema,
    strum::Display,
    strum::EnumMessage,
    strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum BfDirection {
    /// The smaller value first, as printed in the paper.
    #[default]
    Ascending,
    /// The larger value first: the usual best fit.
    Descending,
}
