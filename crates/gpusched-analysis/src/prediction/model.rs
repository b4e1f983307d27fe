//! The names of the models.

use serde::{Deserialize, Serialize};

/// How latencies are predicted.
#[derive(
    Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
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
