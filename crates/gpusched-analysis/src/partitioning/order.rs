//! The orders of [Singh21] §3.5: of the list of partitions, and of merges (≫, Definition 3; >, Definition 4).

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::focus::Focus;
use super::group::Group;
use super::list::Listed;
use gpusched_model::utilization::Utilization;

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

impl ListOrder {
    pub(super) fn compare(self, a: &Listed, b: &Listed) -> Ordering {
        let by_utilization = match self {
            ListOrder::Decreasing => b.utilization.cmp(&a.utilization),
            ListOrder::Increasing => a.utilization.cmp(&b.utilization),
        };
        by_utilization.then_with(|| a.first_task().cmp(&b.first_task()))
    }
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

/// The key by which > orders the merges of the partition in focus with its partners: U(P⊕P') at m = max(|P|, |P'|), without merging.
/// `None`, ordered last, where a WCET is unknown at that size.
pub(super) fn best_fit_key(
    focus: &mut Focus<'_, '_, '_>,
    measure: BfMeasure,
    partner: &Listed,
) -> Option<BestFitKey> {
    let group = Group::of_both(focus.examiner.problem(), focus.partition, &partner.partition);
    let sms = focus.partition.sms.max(partner.partition.sms);
    match measure {
        BfMeasure::Utilization => focus.utilization(&group, sms).map(BestFitKey::Utilization),
        BfMeasure::Demand => focus.examiner.work(&group, sms).map(BestFitKey::Demand),
    }
}

/// U(P⊕P') in the chosen measure; only keys of one measure are compared.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum BestFitKey {
    Utilization(Utilization),
    Demand(u128),
}

impl BfDirection {
    /// The order of two merges by their keys; unknown keys last.
    pub(super) fn compare(self, a: Option<BestFitKey>, b: Option<BestFitKey>) -> Ordering {
        match (a, b) {
            (Some(a), Some(b)) => match self {
                BfDirection::Ascending => a.cmp(&b),
                BfDirection::Descending => b.cmp(&a),
            },
            (a, b) => b.is_some().cmp(&a.is_some()),
        }
    }
}
