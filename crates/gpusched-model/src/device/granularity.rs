//! Granularity and placement of the partitions of a device.

use serde::{Deserialize, Serialize};

use super::Device;

/// Granularity of partitions: the smallest group of SMs that the hardware or the driver can
/// separate from other SMs. Each partition consists of one or more of these groups.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Granularity {
    /// Partitions are arbitrary sets of SMs.
    Sm,
    /// Partitions consist of whole TPCs. A TPC mask selects the TPCs of a partition.
    Tpc,
    /// Partitions consist of whole GPCs.
    Gpc,
    /// Partitions are CUDA green contexts. A green context has at least a minimum number of SMs, and its number of SMs
    /// is a multiple of a fixed step.
    GreenContext,
    /// Partitions are static SM partitions of MPS. A static SM partition consists of chunks, and all chunks have the
    /// same number of SMs.
    Mps,
    /// Partitions are MIG instances.
    Mig,
}

/// The device of a plan, and the granularity of its partitions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Hardware {
    /// Granularity of the partitions.
    pub granularity: Granularity,
    /// The device, reduced to the fields that this granularity requires.
    pub device: Device,
}

impl Hardware {
    /// Creates the description of `device` with the given `granularity`.
    pub fn new(device: &Device, granularity: Granularity) -> Hardware {
        Hardware {
            granularity,
            device: device.reduced_to(granularity),
        }
    }

    /// Returns the description without ports if `counts_ports` is false. MIG instances share no port.
    #[must_use]
    pub fn with_ports(self, counts_ports: bool) -> Hardware {
        match counts_ports && self.granularity != Granularity::Mig {
            true => self,
            false => Hardware {
                device: self.device.without_ports(),
                ..self
            },
        }
    }

    /// Returns the largest total number of SMs of all partitions.
    pub fn capacity(&self) -> u32 {
        let sms = self.device.sms();
        match (self.granularity, self.device.green_context()) {
            (Granularity::GreenContext, Some(rule)) => rule.total(sms),
            _ => sms,
        }
    }

    /// Returns the SMs at `place`, ascending, or `None` if the driver chooses the SMs. Also `None` for GPCs whose SMs the
    /// device does not state.
    pub fn sms_at(&self, place: &Place) -> Option<Vec<u32>> {
        let device = &self.device;
        let mut sms: Vec<u32> = match place {
            Place::Sms(sms) => return Some(sms.clone()),
            Place::Gpcs(_) if !device.states_gpc_of_tpc() => return None,
            Place::Tpcs(_) | Place::Gpcs(_) => { self.tpcs_at(place)?.into_iter() }
                .flat_map(|tpc| device.sms_of_tpc(tpc))
                .collect(),
            Place::Instance(_) => return None,
        };
        sms.sort_unstable();
        Some(sms)
    }

    /// Returns the TPCs at `place`, or `None` if the place does not consist of whole TPCs.
    pub fn tpcs_at(&self, place: &Place) -> Option<Vec<u32>> {
        match place {
            Place::Tpcs(tpcs) => Some(tpcs.clone()),
            Place::Gpcs(gpcs) => {
                let tpcs = gpcs.iter().flat_map(|&gpc| self.device.tpcs_of_gpc(gpc));
                Some(tpcs.collect())
            }
            Place::Sms(_) | Place::Instance(_) => None,
        }
    }
}

/// Placement of a partition on its device. Green contexts and static SM partitions of MPS have no placement, because
/// the driver chooses the SMs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// SM numbers of the partition, ascending.
    Sms(Vec<u32>),
    /// TPC numbers of the partition, ascending.
    Tpcs(Vec<u32>),
    /// GPC numbers of the partition, ascending.
    Gpcs(Vec<u32>),
    /// MIG instance of the partition.
    Instance(Instance),
}

/// A MIG instance and its placement.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// Name of the MIG profile.
    pub profile: String,
    /// Number of the first memory slice of the instance.
    pub start: u32,
}

impl std::fmt::Display for Place {
    /// Writes the placement in one line for display, such as `TPCs 0-3`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Sms(sms) => write!(f, "SMs {}", Runs(sms)),
            Place::Tpcs(tpcs) => write!(f, "TPCs {}", Runs(tpcs)),
            Place::Gpcs(gpcs) => write!(f, "GPCs {}", Runs(gpcs)),
            Place::Instance(Instance { profile, start }) => write!(f, "{profile} at slice {start}"),
        }
    }
}

/// A list of ascending numbers. The text form writes consecutive numbers as a range, such as `0-3, 8`.
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
