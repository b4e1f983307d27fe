//! Which kernel is next.

use serde::{Deserialize, Serialize};

/// Which of the kernels that wait is next, once the GPU is free; none is ever preempted.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Dispatch {
    /// The one that was released first; ties: the lower position.
    #[default]
    Fifo,
    /// The one with the earliest deadline; ties: the lower position.
    NpEdf,
    /// The one with the smallest relative deadline; ties: the lower position.
    NpFp,
    /// The one with the smallest period; ties: the lower position.
    NpFpRm,
    /// The one at the lowest position.
    NpFpGiven,
}

impl Dispatch {
    /// All of them.
    pub const ALL: [Dispatch; 5] = [
        Dispatch::Fifo,
        Dispatch::NpEdf,
        Dispatch::NpFp,
        Dispatch::NpFpRm,
        Dispatch::NpFpGiven,
    ];
}
