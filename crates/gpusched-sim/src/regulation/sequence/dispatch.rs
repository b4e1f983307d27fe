//! Dispatching: the choice of the next kernel.

use serde::{Deserialize, Serialize};

/// Which waiting kernel starts when the GPU becomes free. Kernels are never preempted.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Dispatch {
    /// Earliest release; ties: lower position.
    #[default]
    Fifo,
    /// Earliest deadline; ties: lower position.
    NpEdf,
    /// Smallest relative deadline; ties: lower position.
    NpFp,
    /// Smallest period; ties: lower position.
    NpFpRm,
    /// Lowest position.
    NpFpGiven,
}

impl Dispatch {
    /// All rules.
    pub const ALL: [Dispatch; 5] = [
        Dispatch::Fifo,
        Dispatch::NpEdf,
        Dispatch::NpFp,
        Dispatch::NpFpRm,
        Dispatch::NpFpGiven,
    ];
}
