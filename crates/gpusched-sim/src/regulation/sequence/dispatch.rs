//! Dispatch rules, which choose the next kernel.

use serde::{Deserialize, Serialize};

/// Rule that chooses which waiting kernel starts when the GPU becomes free. Kernels are never
/// preempted.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Dispatch {
    /// The job with the earliest release starts first. In a tie, the kernel with the lowest index
    /// starts first.
    #[default]
    Fifo,
    /// The job with the earliest deadline starts first. In a tie, the kernel with the lowest
    /// index starts first.
    NpEdf,
    /// The kernel with the smallest relative deadline starts first. In a tie, the kernel with the
    /// lowest index starts first.
    NpFp,
    /// The kernel with the smallest period starts first. In a tie, the kernel with the lowest
    /// index starts first.
    NpFpRm,
    /// The kernel with the lowest index starts first.
    NpFpGiven,
}

impl Dispatch {
    /// All dispatch rules.
    pub const ALL: [Dispatch; 5] = [
        Dispatch::Fifo,
        Dispatch::NpEdf,
        Dispatch::NpFp,
        Dispatch::NpFpRm,
        Dispatch::NpFpGiven,
    ];
}
