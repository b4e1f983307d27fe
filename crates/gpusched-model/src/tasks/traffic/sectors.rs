//! L2 sectors of a job, from which its memory time follows.

use serde::{Deserialize, Deserializer, Serialize};

use super::Bandwidth;

/// Maximum number of sectors of one job.
const LIMIT: u64 = 1_000_000_000_000;

/// L2 sectors of 32 bytes that one whole job reads and writes.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(
    deny_unknown_fields,
    expecting = "sectors: an object with \"reads\" and \"writes\""
)]
pub struct Sectors {
    /// R: maximum number of L2 sectors that one job reads; at most 10^12.
    #[serde(deserialize_with = "number")]
    #[schemars(range(max = LIMIT))]
    pub reads: u64,
    /// W: maximum number of L2 sectors that one job writes; at most 10^12.
    #[serde(deserialize_with = "number")]
    #[schemars(range(max = LIMIT))]
    pub writes: u64,
    /// Rates of the kernel in isolation on the whole GPU. Only the form `own-drain` of the memory time uses them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drain: Option<Drain>,
}

/// Rates at which the memory serves one kernel in isolation. If a rate is absent, the balanced rate of the GPU counts.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Drain {
    /// Rate of the L2 cache [bytes per second]; > 0.
    #[serde(
        default,
        deserialize_with = "optional_positive",
        skip_serializing_if = "Option::is_none"
    )]
    pub l2: Option<Bandwidth>,
    /// Rate of DRAM [bytes per second]; > 0.
    #[serde(
        default,
        deserialize_with = "optional_positive",
        skip_serializing_if = "Option::is_none"
    )]
    pub dram: Option<Bandwidth>,
}

fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    match u64::deserialize(deserializer)? {
        found if found > LIMIT => Err(serde::de::Error::custom(format_args!(
            "found {found}, expected 0 to 10^12 sectors"
        ))),
        found => Ok(found),
    }
}

fn optional_positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Bandwidth>, D::Error> {
    super::shared::positive(deserializer).map(Some)
}
