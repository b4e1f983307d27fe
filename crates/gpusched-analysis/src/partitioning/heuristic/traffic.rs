//! Treatment of memory traffic during a search.

use serde::{Deserialize, Serialize};

/// Treatment of memory traffic during a search. The verdicts of a plan always count all memory
/// traffic.
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
pub enum Traffic {
    /// Tries the other treatments one after the other, until a treatment leads to a schedulable
    /// plan.
    #[default]
    All,
    /// Every test of the search counts the traffic of all tasks outside the tested partition.
    Heed,
    /// First merges partitions with high memory traffic until the sum of all peak rates is at
    /// most the memory bandwidth. Only `fewest-sms` and `bf` support this treatment. For other
    /// heuristics, the treatment equals `ignore`.
    #[serde(rename = "gather")]
    #[strum(serialize = "gather")]
    Merge,
    /// The search ignores memory traffic.
    Ignore,
}

impl Traffic {
    /// The treatments that [`Traffic::All`] tries.
    pub(crate) const EACH: [Traffic; 3] = [Traffic::Heed, Traffic::Merge, Traffic::Ignore];

    /// Whether this value is the default. Files omit a default value.
    pub fn is_all(&self) -> bool {
        *self == Traffic::All
    }
}
