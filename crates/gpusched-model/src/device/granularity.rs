//! The ways to divide a device, and where a partition is on it.

use serde::{Deserialize, Serialize};

use super::Device;

/// What a partition consists of.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Granularity {
    /// Any SMs.
    #[default]
    Sm,
    /// Whole TPCs, as masks of TPCs give.
    Tpc,
    /// Whole GPCs.
    Gpc,
    /// The SMs of a CUDA green context: at least so many, in steps.
    GreenContext,
    /// Chunks of SMs, as static partitions of MPS have.
    Mps,
    /// A MIG instance.
    Mig,
}

/// The device that a plan divides, and how.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hardware {
    /// What a partition consists of.
    pub granularity: Granularity,
    /// The device, as far as that matters.
    pub device: Device,
}

impl Hardware {
    /// `device` divided by `granularity`.
    pub fn new(device: &Device, granularity: Granularity) -> Hardware {
        Hardware {
            granularity,
            device: device.reduced_to(granularity),
        }
    }
}

/// Where on its device a partition is. Green contexts and MPS have none: the driver chooses.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// These SMs, ascending.
    Sms(Vec<u32>),
    /// These TPCs, ascending.
    Tpcs(Vec<u32>),
    /// These GPCs, ascending.
    Gpcs(Vec<u32>),
    /// This MIG instance.
    Instance(Instance),
}

/// A MIG instance and where it is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// The name of its profile.
    pub profile: String,
    /// Its first memory slice.
    pub start: u32,
}

impl std::fmt::Display for Place {
    /// One line for people, such as `TPCs 0-3`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Sms(sms) => write!(f, "SMs {}", Runs(sms)),
            Place::Tpcs(tpcs) => write!(f, "TPCs {}", Runs(tpcs)),
            Place::Gpcs(gpcs) => write!(f, "GPCs {}", Runs(gpcs)),
            Place::Instance(Instance { profile, start }) => write!(f, "{profile} at slice {start}"),
        }
    }
}

/// Ascending numbers as runs: `0-3, 8`.
pub struct Runs<'a>(pub &'a [u32]);

impl std::fmt::Display for Runs<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let runs = self.0.chunk_by(|&a, &b| a.checked_add(1) == Some(b));
        for (index, run) in runs.enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            match run {
                [] => {}
                [one] => write!(f, "{comma}{one}")?,
                [first, .., last] => write!(f, "{comma}{first}-{last}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_numbers() {
        assert_eq!(Runs(&[0, 1, 2, 5, 7, 8]).to_string(), "0-2, 5, 7-8");
        assert_eq!(Runs(&[]).to_string(), "");
        assert_eq!(Place::Tpcs(vec![3]).to_string(), "TPCs 3");
    }
}
