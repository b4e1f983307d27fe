//! The memory that partitions share.

use serde::{Deserialize, Deserializer, Serialize};

use super::Bandwidth;

/// A memory that all partitions share: what it moves at least while there are requests, and how it divides that.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SharedMemory {
    /// B: the bandwidth that the memory sustains as long as requests wait, whatever their mix [bytes per second]; positive.
    #[serde(deserialize_with = "positive")]
    pub bandwidth: Bandwidth,
    /// How it is divided.
    #[serde(default)]
    pub arbitration: Arbitration,
}

/// What is known of how bandwidth is divided among partitions that want more than there is.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Arbitration {
    /// Nothing but that none is wasted.
    #[default]
    Any,
    /// Max-min fairly: nobody gets less than another that wants more.
    MaxMin,
}

fn positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Bandwidth, D::Error> {
    let bandwidth = Bandwidth::deserialize(deserializer)?;
    match bandwidth.bytes_per_second() {
        0 => Err(serde::de::Error::custom("found 0, expected a positive bandwidth")),
        _ => Ok(bandwidth),
    }
}
