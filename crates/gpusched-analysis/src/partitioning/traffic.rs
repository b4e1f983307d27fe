//! Treatment of memory traffic during a search.

use serde::{Deserialize, Serialize};

/// Treatment of memory traffic during a search. Verdicts always count all traffic.
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
    /// Tries the other treatments in this order until one finds a schedulable plan.
    #[default]
    All,
    /// Counts the traffic of all tasks outside the partition in every test of the search.
    Heed,
    /// Merges partitions with high traffic until all peaks fit the memory bandwidth (fewest-sms, bf; otherwise as ignore).
    #[serde(rename = "gather")]
    #[strum(serialize = "gather")]
    Merge,
    /// Searches without memory traffic.
    Ignore,
}

impl Traffic {
    /// Whether this is the default value, which files omit.
    pub fn is_all(&self) -> bool {
        *self == Traffic::All
    }
}
