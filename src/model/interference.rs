//! The inflation models a partition can be analysed under, by name; [`crate::interference`] computes them.

use serde::{Deserialize, Serialize};

/// The inflation models by name, as in files and on the command line.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Interference {
    /// Kernels of the same kind in the same partition run at Cᶜ.
    #[default]
    Conflict,
    /// Every kernel runs at Cⁿ.
    None,
}

impl std::fmt::Display for Interference {
    /// The name as in files and on the command line.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Interference::Conflict => "conflict",
            Interference::None => "none",
        })
    }
}
