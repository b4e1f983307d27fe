//! Names of the interference models of a partition. [`gpusched_analysis::interference`] implements the models.

use serde::{Deserialize, Serialize};

/// Interference model, by its name in files and on the command line.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Interference {
    /// Tasks of one kind in one partition have the WCET in conflict Cᶜ, all others Cⁿ.
    #[default]
    Conflict,
    /// Tasks do not contend. Every task has the isolated WCET Cⁿ.
    None,
    /// The model `conflict`, and delays by the memory traffic of other partitions.
    #[serde(rename = "conflict+bandwidth")]
    #[strum(to_string = "conflict+bandwidth")]
    ConflictBandwidth,
    /// The model `none`, and delays by the memory traffic of other partitions.
    Bandwidth,
}

impl Interference {
    /// Returns whether the model includes delays that the memory traffic of other partitions
    /// causes.
    pub fn counts_bandwidth(self) -> bool {
        matches!(self, Interference::ConflictBandwidth | Interference::Bandwidth)
    }

    /// Returns this model, extended by delays that the memory traffic of other partitions causes.
    pub fn with_bandwidth(self) -> Interference {
        match self {
            Interference::Conflict | Interference::ConflictBandwidth => Interference::ConflictBandwidth,
            Interference::None | Interference::Bandwidth => Interference::Bandwidth,
        }
    }
}
