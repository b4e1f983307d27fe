//! Memory time: the time for which one job occupies the memory at given rates.

use serde::{Deserialize, Serialize};

use super::Bandwidth;
use super::shared::positive;
use crate::reader::{Document, Fault, from_json};

/// Form of the L2 and DRAM rates that the memory time of a job uses.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum RateForm {
    /// Rates of requests that all go to one L2 slice and one DRAM bank.
    #[default]
    Universal,
    /// Rates of requests that go to all slices and banks at random.
    Balanced,
    /// Balanced rates, but for each task at most its rates in isolation (`drain`).
    OwnDrain,
}

impl RateForm {
    /// Strength of the bound on the delay, for every form. Only tests support the bound, and kernels are known whose
    /// delay exceeds the bound if it counts no delay at ports of TPCs and GPCs.
    pub const STRENGTH: &str = "counterexamples known";

    /// Returns the name of the form with its strength.
    pub fn described(self) -> String {
        format!("{self}: {}", RateForm::STRENGTH)
    }
}

/// Parameters of the memory time. If a job reads R sectors and writes W sectors, its memory time is 32(R + W)/B_L2 +
/// 32(R + 2W)/B_DRAM.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MemoryTime {
    /// Form of the rates.
    pub form: RateForm,
    /// B_L2: rate of the L2 cache [bytes per second]; > 0.
    #[serde(deserialize_with = "positive")]
    pub l2_bytes_per_second: Bandwidth,
    /// B_DRAM: rate of DRAM [bytes per second]; > 0.
    #[serde(deserialize_with = "positive")]
    pub dram_bytes_per_second: Bandwidth,
    /// gpusched increases all WCETs by this percentage, because launch offsets and base addresses change execution
    /// times.
    pub variation_percent: u32,
    /// Whether each partition has L2 ways of its own; false by default. If true, a job that states its sectors at DRAM
    /// (`dram`) has the memory time 32(R + W)/B_L2 + 32·D/B_DRAM.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_l2: bool,
    /// Camping limit: maximum load that one task may put on a slice, channel or bank. The limit is a multiple of an
    /// even load. Absent if there is no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub camping_limit: Option<std::num::NonZeroU32>,
}

impl MemoryTime {
    /// Largest accepted variation of execution times [%].
    pub const MAX_VARIATION: u32 = 1000;
    /// Default variation of execution times [%]. The largest known effect of a kernel with almost no traffic is 17.7 %.
    /// The kernel executes only nine reads, but they disturb the order of packets in the crossbar.
    pub const VARIATION: u32 = 20;
}

impl std::fmt::Display for MemoryTime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} (L2 {}, DRAM {}, WCETs + {} %)",
            self.form, self.l2_bytes_per_second, self.dram_bytes_per_second, self.variation_percent
        )?;
        if self.own_l2 {
            f.write_str(", own L2 ways")?;
        }
        match self.camping_limit {
            Some(limit) => write!(f, ", camping limit {limit}"),
            None => Ok(()),
        }
    }
}

/// Rates of a GPU, measured with kernels that stress its memory.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemoryRates {
    /// Name of the GPU or of the simulated GPU.
    pub machine: String,
    /// Lowest rates over all request mixes.
    pub universal: Rates,
    /// Lowest rates over the request mixes that use all slices, channels and banks.
    pub balanced: Rates,
}

/// Rates of the L2 cache and of DRAM.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rates {
    /// Rate of the L2 cache [bytes per second]; > 0.
    #[serde(deserialize_with = "positive")]
    pub l2_bytes_per_second: Bandwidth,
    /// Rate of DRAM [bytes per second]; > 0.
    #[serde(deserialize_with = "positive")]
    pub dram_bytes_per_second: Bandwidth,
}

impl MemoryRates {
    /// Returns the parameters of the memory time with rates of `form`.
    pub fn of(&self, form: RateForm, variation_percent: u32) -> MemoryTime {
        let rates = match form {
            RateForm::Universal => self.universal,
            RateForm::Balanced | RateForm::OwnDrain => self.balanced,
        };
        MemoryTime {
            form,
            l2_bytes_per_second: rates.l2_bytes_per_second,
            dram_bytes_per_second: rates.dram_bytes_per_second,
            variation_percent,
            own_l2: false,
            camping_limit: None,
        }
    }
}

impl Document for MemoryRates {
    const EXPECTED: &str = "memory rates: an object with \"machine\", \"universal\" and \"balanced\"";

    fn from_json(text: &str) -> Result<MemoryRates, Fault> {
        from_json::<MemoryRates, _>(text)
    }
}
