//! Treatment of memory traffic during a search.

use serde::{Deserialize, Serialize};

/// Treatment of memory traffic during a search. A verdict always counts all memory traffic.
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
pub enum Traffic {
    /// Tries the other treatments in this order, until a treatment leads to a schedulable plan.
    #[default]
    All,
    /// Every test of the search counts the traffic of all tasks outside the tested partition.
    Heed,
    /// Merges partitions with high traffic until the sum of their peak rates is at most the memory bandwidth. Only
    /// `fewest-sms` and `bf` merge in this way; for other heuristics, equal to `ignore`.
    #[serde(rename = "gather")]
    #[strum(serialize = "gather")]
    Merge,
    /// The search ignores memory traffic.
    Ignore,
}

impl Traffic {
    /// Whether this value is the default, which files omit.
    pub fn is_all(&self) -> bool {
        *self == Traffic::All
    }
}
