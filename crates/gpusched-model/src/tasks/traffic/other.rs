//! Memory traffic of other sources than the tasks: CPU cores under a memory bandwidth budget, copy engines.

use serde::{Deserialize, Serialize};

use super::{Bandwidth, Bytes};
use crate::time::Time;

/// A source of memory traffic other than the tasks.
///
/// The periods of the source begin at least `period` apart. Within `period` from each beginning, the source requests at most
/// `traffic` bytes, at any time and in any pieces. Each byte is moved within `deadline` of its request. So one period may move
/// its bytes late and the next period may move its bytes early, back to back.
///
/// A *batch* guarantees more: all bytes of a period are moved within `deadline` of the beginning of the period. Examples are
/// the transfers of a copy engine, and CPU cores whose accesses end before their budget is renewed (`deadline` = `period`).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(
    deny_unknown_fields,
    expecting = "other traffic: an object with \"traffic\" and \"period\""
)]
pub struct OtherTraffic {
    /// Name for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// V: maximum data of one period or transfer [bytes].
    pub traffic: Bytes,
    /// T: period of the memory bandwidth budget, or least time between two transfers [ns]; > 0.
    #[serde(deserialize_with = "crate::positive_time")]
    pub period: Time,
    /// D: maximum time from the request of a byte, or from the beginning of its batch, until the byte is moved [ns]; > 0. By
    /// default, it is the period.
    #[serde(
        default,
        deserialize_with = "crate::optional_positive_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub deadline: Option<Time>,
    /// Maximum bandwidth of the source at any time; by default, the bandwidth of the memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<Bandwidth>,
    /// Whether D counts from the beginning of the period for all bytes of the period; false by default.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub batch: bool,
}
