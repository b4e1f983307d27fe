//! Memory traffic that no task of the set causes: CPU cores under a budget, copy engines.

use serde::{Deserialize, Serialize};

use super::{Bandwidth, Bytes};
use crate::time::Time;

/// At most `traffic` bytes are requested within any `period`, and each is moved within `deadline` of its request.
///
/// CPU cores whose budget is refilled every period: the budget and that period. A copy engine: the bytes of a transfer, the least
/// time between two, and by when one is done.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(
    deny_unknown_fields,
    expecting = "other traffic: an object with \"traffic\" and \"period\""
)]
pub struct OtherTraffic {
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// V: the bytes of one period or transfer.
    pub traffic: Bytes,
    /// T: the period of the budget, or the least time between two transfers [ns].
    #[serde(deserialize_with = "crate::positive_time")]
    pub period: Time,
    /// D: a transfer is done that long after its request [ns]; the period if absent.
    #[serde(
        default,
        deserialize_with = "crate::optional_positive_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub deadline: Option<Time>,
    /// The most that is drawn at any time; that of the memory if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<Bandwidth>,
}
