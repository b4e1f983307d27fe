//! Names of the prediction models.

use serde::{Deserialize, Serialize};

/// Prediction model.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum PredictionModel {
    /// Max-min fair shares of the memory bandwidth. The shares change whenever a kernel ends.
    #[default]
    Fluid,
    /// [Masola23] Eqs 1 to 17 as printed.
    Masola,
    /// [Masola23] Eqs 1 to 17 with measured times, if the profile has them, and with penalties of
    /// at least 1.
    MasolaRepaired,
    /// As `masola-repaired`, but with the penalty Π alone, without the interference I(w).
    MasolaPenalty,
    /// A slowdown of 73 % while other kernels run ([Masola23] §7.2).
    Naive,
}

impl PredictionModel {
    /// All models.
    pub const ALL: [PredictionModel; 5] = [
        PredictionModel::Fluid,
        PredictionModel::Masola,
        PredictionModel::MasolaRepaired,
        PredictionModel::MasolaPenalty,
        PredictionModel::Naive,
    ];
}
