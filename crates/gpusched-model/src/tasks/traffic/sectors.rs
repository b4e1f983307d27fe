//! L2 sectors of a job, which determine its memory time.

use serde::{Deserialize, Deserializer, Serialize};

use super::{Bandwidth, RateForm};

/// L2 sectors of 32 bytes that one whole job reads and writes.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "sectors: an object with \"reads\" and \"writes\""
)]
pub struct Sectors {
    /// R: maximum number of L2 sectors that one job reads; at most 10^12.
    #[serde(deserialize_with = "number")]
    #[cfg_attr(feature = "schema", schemars(range(max = Sectors::LIMIT)))]
    pub reads: u64,
    /// W: maximum number of L2 sectors that one job writes; at most 10^12.
    #[serde(deserialize_with = "number")]
    #[cfg_attr(feature = "schema", schemars(range(max = Sectors::LIMIT)))]
    pub writes: u64,
    /// D: maximum number of sectors that DRAM reads or writes for one job if its partition has its own L2 ways; at most
    /// 10^12. D includes the dirty sectors that the job leaves in L2. Only memory times with `own_l2` use this number.
    /// The default is R + 2W.
    #[serde(
        default,
        deserialize_with = "some_number",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schemars(range(max = Sectors::LIMIT)))]
    pub dram: Option<u64>,
    /// Largest load that the task puts on one L2 slice, DRAM channel or bank, relative to an even load [percent].
    /// Required by `--camping-limit`, and otherwise unused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub camping_percent: Option<u64>,
    /// Rates of the kernel in isolation on the whole GPU. Required by the form `own-drain` of the memory time, and
    /// otherwise unused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drain: Option<Drain>,
    /// H: maximum number of cycles of one job where the first reply at a reply port of the GPU belongs to the job,
    /// summed over all ports; at most 10^12. `simulate profile --traffic` measures H in isolation. If `measured_on`
    /// states a slower clock than 32 bytes per cycle at the port of the device, this clock counts. Otherwise, H counts
    /// cycles of a port that passes 32 bytes per cycle at the rate of the device. Without this field, H is unknown,
    /// unless the kernel is `accepting`.
    #[serde(
        default,
        deserialize_with = "some_number",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schemars(range(max = Sectors::LIMIT)))]
    pub hold: Option<u64>,
    /// Whether the SMs accept each reply to the kernel in the first cycle, so that H = R + W; false by default. The
    /// kernel has no load past L1 and no global atomic. Its GPU lets global loads use L1, fills at least 32 bytes of
    /// L1 per cycle, and has room for at least two replies in each SM.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub accepting: bool,
    /// g: maximum number of thread blocks of one job; at most 10^12. Without this field, g is unknown.
    #[serde(
        default,
        deserialize_with = "some_number",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schemars(range(max = Sectors::LIMIT)))]
    pub blocks: Option<u64>,
}

/// Rates at which the memory serves one kernel in isolation.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Drain {
    /// Rate of the L2 cache [bytes per second]; > 0.
    #[serde(deserialize_with = "super::shared::positive")]
    pub l2: Bandwidth,
    /// Rate of DRAM [bytes per second]; > 0.
    #[serde(deserialize_with = "super::shared::positive")]
    pub dram: Bandwidth,
}

impl Sectors {
    /// Maximum number of sectors of one job.
    pub const LIMIT: u64 = 1_000_000_000_000;

    /// Creates sectors. Returns `None` for more than 10^12 sectors.
    pub fn new(reads: u64, writes: u64, drain: Option<Drain>) -> Option<Sectors> {
        let sectors = Sectors {
            reads,
            writes,
            dram: None,
            camping_percent: None,
            drain,
            hold: None,
            accepting: false,
            blocks: None,
        };
        (reads <= Sectors::LIMIT && writes <= Sectors::LIMIT).then_some(sectors)
    }

    /// Returns the number of sectors that one job moves at DRAM. If `own_l2` is true, the job has L2 ways of its own.
    /// Otherwise, every sector counts as a miss.
    pub fn at_dram(&self, own_l2: bool) -> u64 {
        match self.dram {
            Some(dram) if own_l2 => dram,
            _ => self.reads + 2 * self.writes,
        }
    }

    /// Returns whether the sectors state all values that `form` requires.
    pub fn suffice(&self, form: RateForm) -> bool {
        form != RateForm::OwnDrain || self.drain.is_some()
    }
}

fn some_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    number(deserializer).map(Some)
}

fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    match u64::deserialize(deserializer)? {
        found if found > Sectors::LIMIT => Err(serde::de::Error::custom(format_args!(
            "found {found}, expected 0 to 10^12"
        ))),
        found => Ok(found),
    }
}
