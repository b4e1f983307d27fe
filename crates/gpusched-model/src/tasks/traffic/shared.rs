//! Memory that partitions share.

use serde::{Deserialize, Deserializer, Serialize};

use super::Bandwidth;

/// The memory that all partitions share, with its guaranteed bandwidth and its arbitration.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SharedMemory {
    /// B: guaranteed memory bandwidth [bytes per second]; > 0. B is the minimum throughput while
    /// requests are pending, over all request mixes.
    #[serde(deserialize_with = "positive")]
    pub bandwidth: Bandwidth,
    /// Rule by which the memory divides its bandwidth among partitions.
    #[serde(default)]
    pub arbitration: Arbitration,
}

/// Assumption about the memory arbiter, for partitions that together request more bandwidth than
/// the memory has.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Arbitration {
    /// Any work-conserving arbiter.
    #[default]
    Any,
    /// Max-min fair arbiter: if a partition does not receive all the bandwidth that it requests, no other partition
    /// receives more than this partition.
    MaxMin,
}

fn positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Bandwidth, D::Error> {
    let bandwidth = Bandwidth::deserialize(deserializer)?;
    match bandwidth.bytes_per_second() {
        0 => Err(serde::de::Error::custom("found 0, expected a positive bandwidth")),
        _ => Ok(bandwidth),
    }
}
