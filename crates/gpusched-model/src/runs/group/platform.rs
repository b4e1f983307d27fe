//! Parameters of a GPU and its memory.

use serde::{Deserialize, Serialize};

use crate::Factor;
use crate::Refusal;
use crate::wcet::MAX_SMS;

/// Parameters of a GPU and its memory. The default values describe the RTX 2060 of [Masola23].
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct MemoryPlatform {
    /// N: number of SMs.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = MAX_SMS)))]
    pub sms: u32,
    /// BW_max: nominal memory bandwidth [GB/s]; > 0.
    pub bandwidth: Factor,
    /// EM_BW: maximum memory bandwidth that kernels achieve in practice [GB/s]; > 0 and at most BW_max.
    pub effective_bandwidth: Factor,
    /// Number of banks of the L2 cache.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub l2_banks: u32,
    /// α: steepness of the memory saturation curve ([Masola23] Eq. 2); > 0.
    pub alpha: Factor,
}

const fn whole(value: u64) -> Factor {
    match Factor::from_billionths(value * 1_000_000_000) {
        Some(factor) => factor,
        None => Factor::ONE, // every number here is at most one million
    }
}

impl Default for MemoryPlatform {
    /// Returns the values from [Masola23] Table 1, §5.1 and §6.
    fn default() -> MemoryPlatform {
        MemoryPlatform {
            sms: 30,
            bandwidth: whole(348),
            effective_bandwidth: whole(330),
            l2_banks: 24,
            alpha: whole(100),
        }
    }
}

impl MemoryPlatform {
    /// Checks that all values are possible.
    ///
    /// # Errors
    /// Fails at the first impossible value.
    pub fn check(&self) -> Result<(), Refusal> {
        let of = |field: &str| format!("platform.{field}");
        if !(1..=MAX_SMS).contains(&self.sms) {
            Refusal::refuse(of("sms"), self.sms, format!("1 to {MAX_SMS}"))?;
        }
        if self.bandwidth == Factor::ZERO {
            Refusal::refuse(of("bandwidth"), 0, "a positive number of GB/s")?;
        }
        let effective = self.effective_bandwidth;
        if effective == Factor::ZERO || effective > self.bandwidth {
            let expected = format!(
                "a positive number of GB/s up to the nominal bandwidth, {}",
                self.bandwidth
            );
            Refusal::refuse(of("effective_bandwidth"), effective, expected)?;
        }
        if self.l2_banks == 0 {
            Refusal::refuse(of("l2_banks"), 0, "at least 1")?;
        }
        if self.alpha == Factor::ZERO {
            Refusal::refuse(of("alpha"), 0, "a positive number")?;
        }
        Ok(())
    }
}
