//! Granularities of a device, and the placement of a partition.

use serde::{Deserialize, Serialize};

use super::Device;

/// Unit of a partition: the kind of SM group that the hardware or the driver can separate.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Granularity {
    /// Any set of SMs.
    #[default]
    Sm,
    /// Whole TPCs, as selected by TPC masks.
    Tpc,
    /// Whole GPCs.
    Gpc,
    /// The SMs of a CUDA green context: a minimum number, in fixed steps.
    GreenContext,
    /// Chunks of SMs, as in static SM partitions of MPS.
    Mps,
    /// A MIG instance.
    Mig,
}

/// Device of a plan, and the granularity of its partitions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hardware {
    /// Unit of a partition.
    pub granularity: Granularity,
    /// Device, with the fields that the granularity needs.
    pub device: Device,
}

impl Hardware {
    /// Creates the description of `device` with `granularity`.
    pub fn new(device: &Device, granularity: Granularity) -> Hardware {
        Hardware {
            granularity,
            device: device.reduced_to(granularity),
        }
    }
}

/// Placement of a partition on its device. Green contexts and MPS have no placement, because the driver chooses it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// Numbers of the SMs, ascending.
    Sms(Vec<u32>),
    /// Numbers of the TPCs, ascending.
    Tpcs(Vec<u32>),
    /// Numbers of the GPCs, ascending.
    Gpcs(Vec<u32>),
    /// A MIG instance.
    Instance(Instance),
}

/// A MIG instance and its placement.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// Name of the MIG profile.
    pub profile: String,
    /// First memory slice of the instance.
    pub start: u32,
}

impl std::fmt::Display for Place {
    /// Writes one line for display, such as `TPCs 0-3`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Sms(sms) => write!(f, "SMs {}", Runs(sms)),
            Place::Tpcs(tpcs) => write!(f, "TPCs {}", Runs(tpcs)),
            Place::Gpcs(gpcs) => write!(f, "GPCs {}", Runs(gpcs)),
            Place::Instance(Instance { profile, start }) => write!(f, "{profile} at slice {start}"),
        }
    }
}

/// Ascending numbers, displayed as runs: `0-3, 8`.
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
