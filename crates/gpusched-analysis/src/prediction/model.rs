//! Names of the prediction models.

use serde::{Deserialize, Serialize};

/// Prediction model.
#[derive(
    Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Model {
    /// Max-min fair shares of the memory bandwidth. The shares change whenever a kernel ends.
    #[default]
    Fluid,
    /// [Masola23] Eqs 1 to 17 as printed.
    Masola,
    /// [Masola23] Eqs 1 to 17 with measured times, if the profile has them, and with penalties of
    /// at least 1.
    MasolaRepaired,
    /// A slowdown of 73 % while other kernels run ([Masola23] §7.2).
    Naive,
}

impl Model {
    /// All models.
    pub const ALL: [Model; 4] = [Model::Fluid, Model::Masola, Model::MasolaRepaired, Model::Naive];
}
