//! Names of the interference models of a partition. [`gpusched_analysis::interference`] implements the models.

use serde::{Deserialize, Serialize};

use crate::SharedMemory;

/// Interference model, by its name in files and on the command line.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Interference {
    /// Tasks of the same kind in one partition have the WCET in conflict Cᶜ. All other tasks have the isolated WCET Cⁿ.
    #[default]
    Conflict,
    /// Tasks do not contend. Every task has the isolated WCET Cⁿ.
    None,
    /// The model `conflict`, plus delays by the memory traffic of other partitions.
    #[serde(rename = "conflict+bandwidth")]
    #[strum(to_string = "conflict+bandwidth")]
    ConflictBandwidth,
    /// The model `none`, plus delays by the memory traffic of other partitions.
    Bandwidth,
    /// The model `conflict`, plus delays by memory times of jobs in other partitions.
    #[serde(rename = "conflict+memory-time")]
    #[strum(to_string = "conflict+memory-time")]
    ConflictMemoryTime,
    /// The model `none`, plus delays by memory times of jobs in other partitions.
    MemoryTime,
}

impl Interference {
    /// Returns whether tasks of the same kind in one partition contend.
    pub fn counts_conflicts(self) -> bool {
        match self {
            Interference::Conflict | Interference::ConflictBandwidth | Interference::ConflictMemoryTime => {
                true
            }
            Interference::None | Interference::Bandwidth | Interference::MemoryTime => false,
        }
    }

    /// Returns whether the model includes delays that other partitions cause through the memory.
    pub fn counts_memory(self) -> bool {
        !matches!(self, Interference::Conflict | Interference::None)
    }

    /// Returns whether the model includes delays by the memory time of jobs in other partitions.
    pub fn counts_memory_time(self) -> bool {
        matches!(self, Interference::ConflictMemoryTime | Interference::MemoryTime)
    }

    /// Returns the model that has the same contention inside a partition, and that includes delays through `memory` if
    /// a memory is given.
    pub fn with_memory(self, memory: Option<&SharedMemory>) -> Interference {
        let time = memory.map(|memory| memory.time.is_some());
        match (self.counts_conflicts(), time) {
            (true, None) => Interference::Conflict,
            (true, Some(false)) => Interference::ConflictBandwidth,
            (true, Some(true)) => Interference::ConflictMemoryTime,
            (false, None) => Interference::None,
            (false, Some(false)) => Interference::Bandwidth,
            (false, Some(true)) => Interference::MemoryTime,
        }
    }
}
