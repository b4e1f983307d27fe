//! Memory traffic that no task of the set causes: CPU cores under a budget, copy engines.

use serde::{Deserialize, Serialize};

use super::{Bandwidth, Bytes};
use crate::time::Time;

/// A source of memory traffic.
///
/// Its periods begin at least `period` apart. Within `period` of each beginning the source requests at most `traffic` bytes, at any
/// time and in any pieces. Each byte is moved within `deadline` of its request. So one period may move its bytes late, and the next
/// one early: back to back.
///
/// A *batch* promises more: all bytes of a period are moved within `deadline` of the beginning of the period. Examples are the
/// transfers of a copy engine, and CPU cores whose accesses end before their budget is refilled (`deadline` = `period`).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(
    deny_unknown_fields,
    expecting = "other traffic: an object with \"traffic\" and \"period\""
)]
pub struct OtherTraffic {
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// V: the most bytes of one period or transfer.
    pub traffic: Bytes,
    /// T: the period of the budget, or the least time between two transfers [ns].
    #[serde(deserialize_with = "crate::positive_time")]
    pub period: Time,
    /// D: each byte is moved that long after its request, or after the beginning of its batch [ns]; the period if absent.
    #[serde(
        default,
        deserialize_with = "crate::optional_positive_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub deadline: Option<Time>,
    /// The most that is drawn at any time; that of the memory if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<Bandwidth>,
    /// Whether D counts from the beginning of the period for all its bytes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub batch: bool,
}
