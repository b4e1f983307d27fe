//! Memory traffic of sources other than the tasks, such as CPU cores under a memory bandwidth budget or copy engines.

use serde::{Deserialize, Serialize};

use super::{Bandwidth, Bytes};
use crate::time::Time;

/// A source of memory traffic other than the tasks.
///
/// The source has periods that begin at least `period` apart. In each period, the source requests at most `traffic`
/// bytes, at any times and in pieces of any size. The memory moves each byte within `deadline` of the request for this
/// byte. As a result, the memory may move the bytes of one period late, directly before the bytes of the next period.
///
/// A *batch* has a stricter rule: the memory moves all bytes of a period within `deadline` after the beginning of the
/// period. Copy engines are an example of a batch. CPU cores are another example if their accesses end before the next
/// renewal of their memory bandwidth budget (`deadline` = `period`).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "other traffic: an object with \"traffic\" and \"period\""
)]
pub struct OtherTraffic {
    /// Name for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// V: maximum amount of data that the source moves in one period or transfer [bytes].
    pub traffic: Bytes,
    /// T: period of the memory bandwidth budget, or minimum time between two transfers [ns]; > 0.
    #[serde(deserialize_with = "crate::time::positive_time")]
    pub period: Time,
    /// D: maximum time until the memory has moved a requested byte [ns]; > 0. D counts from the
    /// request of the byte. If `batch` is true, D counts from the beginning of the period. The
    /// default is the period.
    #[serde(
        default,
        deserialize_with = "crate::time::optional_positive_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub deadline: Option<Time>,
    /// Maximum bandwidth that the source uses at any time. The default is the bandwidth of the memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<Bandwidth>,
    /// Whether D counts from the beginning of the period for all bytes; false by default.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub batch: bool,
}
