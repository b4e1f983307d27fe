//! Interference models of a partition, by name. [`gpusched_analysis::interference`] computes them.

use serde::{Deserialize, Serialize};

/// Interference model, by its name in files and on the command line.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Interference {
    /// Kernels of the same kind in the same partition run at Cᶜ.
    #[default]
    Conflict,
    /// Every kernel runs at Cⁿ.
    None,
    /// `conflict`, and delays by the memory traffic of other partitions.
    #[serde(rename = "conflict+bandwidth")]
    #[strum(to_string = "conflict+bandwidth")]
    ConflictBandwidth,
    /// `none`, and delays by the memory traffic of other partitions.
    Bandwidth,
}

impl Interference {
    /// Whether the model counts the memory traffic of other partitions.
    pub fn counts_bandwidth(self) -> bool {
        matches!(self, Interference::ConflictBandwidth | Interference::Bandwidth)
    }

    /// Returns the model with equal rules inside partitions that also counts the memory traffic of other partitions.
    pub fn with_bandwidth(self) -> Interference {
        match self {
            Interference::Conflict | Interference::ConflictBandwidth => Interference::ConflictBandwidth,
            Interference::None | Interference::Bandwidth => Interference::Bandwidth,
        }
    }
}
