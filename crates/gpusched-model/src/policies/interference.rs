//! The inflation models a partition can be analysed under, by name; [`gpusched_analysis::interference`] computes them.

use serde::{Deserialize, Serialize};

/// The inflation models by name, as in files and on the command line.
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
    /// Whether the memory traffic of other partitions counts.
    pub fn counts_bandwidth(self) -> bool {
        matches!(self, Interference::ConflictBandwidth | Interference::Bandwidth)
    }

    /// The same within partitions, and the memory traffic of others.
    pub fn with_bandwidth(self) -> Interference {
        match self {
            Interference::Conflict | Interference::ConflictBandwidth => Interference::ConflictBandwidth,
            Interference::None | Interference::Bandwidth => Interference::Bandwidth,
        }
    }
}
