//! What a search makes of memory traffic.

use serde::{Deserialize, Serialize};

/// What a search makes of memory traffic. Whatever it is, verdicts count all of it.
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
    /// The others, in this order, until one of them leads to a schedulable plan.
    #[default]
    All,
    /// Every test of the search counts the traffic of all tasks that are not in the partition.
    Heed,
    /// Tasks that draw much go together until no more can be drawn at once than there is. sms, bf; others ignore traffic then.
    Merge,
    /// The search is that without traffic.
    Ignore,
}

impl Traffic {
    /// Whether this is the default, which files leave out.
    pub fn is_all(&self) -> bool {
        *self == Traffic::All
    }
}
