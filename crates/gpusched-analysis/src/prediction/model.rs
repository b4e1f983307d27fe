//! The names of the models.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How latencies are predicted.
#[derive(
    Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Model {
    /// Bandwidth is shared max-min fairly; windows end when a kernel does.
    #[default]
    Fluid,
    /// [Masola23] Eqs 1 to 17 as printed.
    Masola,
    /// The same with times alone as measured, and penalties of at least 1.
    MasolaRepaired,
    /// 73 % more for as long as there is company ([Masola23] §7.2).
    Naive,
}

impl Model {
    /// All models.
    pub const ALL: [Model; 4] = [Model::Fluid, Model::Masola, Model::MasolaRepaired, Model::Naive];
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Model::Fluid => "fluid",
            Model::Masola => "masola",
            Model::MasolaRepaired => "masola-repaired",
            Model::Naive => "naive",
        })
    }
}
