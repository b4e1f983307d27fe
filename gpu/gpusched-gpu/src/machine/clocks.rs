//! Clock frequencies of a simulated GPU.

use serde::{Deserialize, Serialize};

use super::check::Faults;
use gpusched_model::Refusal;

/// Frequencies of the four clock domains (`-gpgpu_clock_domains`) [kHz].
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Clocks {
    /// Frequency of the SMs [kHz].
    pub core_khz: u32,
    /// Frequency of the interconnect [kHz].
    pub interconnect_khz: u32,
    /// Frequency of the L2 slices [kHz].
    pub l2_khz: u32,
    /// Frequency of the DRAM command clock [kHz].
    pub dram_khz: u32,
}

impl Clocks {
    /// Maximum frequency [kHz].
    pub const MAX_KHZ: u32 = 100_000_000;
    /// Maximum ratio of two frequencies: the number of cycles of the faster clock per cycle of
    /// the slower clock.
    pub const MAX_RATIO: u32 = 1000;

    pub(super) fn check(&self, faults: &Faults) -> Result<(), Refusal> {
        let range = 1..=Self::MAX_KHZ;
        faults.within("core_khz", self.core_khz, range.clone())?;
        faults.within("interconnect_khz", self.interconnect_khz, range.clone())?;
        faults.within("l2_khz", self.l2_khz, range.clone())?;
        faults.within("dram_khz", self.dram_khz, range)?;
        let fastest = [self.core_khz, self.interconnect_khz, self.l2_khz, self.dram_khz]
            .into_iter()
            .fold(0, u32::max);
        let slowest = fastest.div_ceil(Self::MAX_RATIO);
        for (name, khz) in [
            ("core_khz", self.core_khz),
            ("interconnect_khz", self.interconnect_khz),
            ("l2_khz", self.l2_khz),
            ("dram_khz", self.dram_khz),
        ] {
            faults.within(name, khz, slowest..=Self::MAX_KHZ)?;
        }
        Ok(())
    }
}
