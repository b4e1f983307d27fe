//! The orders of [Singh21] §3.5 that users choose among: of the list of partitions, and of merges by > (Definition 4).

use serde::{Deserialize, Serialize};

/// How Algorithm 1 keeps its list of partitions. Ties: the lowest task position first.
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
    /// By decreasing utilization at the partition's size.
    #[default]
    Decreasing,
    /// By increasing utilization at the partition's size.
    Increasing,
}

/// What U(P) in Definition 4 means; it is printed without periods.
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
    /// Σ C/T.
    #[default]
    Utilization,
    /// Σ C, as printed.
    Demand,
}

/// Which U(P) the relation > prefers.
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
    /// The smaller first, as printed.
    #[default]
    Ascending,
    /// The larger first: the usual best fit.
    Descending,
}
