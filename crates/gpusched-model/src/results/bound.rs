//! Bounds on the execution time of a kernel, with their proofs.

use serde::{Deserialize, Serialize};

use crate::time::Time;
use crate::{Factor, Ratio};

/// An upper bound on the execution time of a kernel under a memory bandwidth budget, with its proof ([Aghilinasab20]
/// Algorithm 1).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    /// Name of the kernel. Absent if the kernel has no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Q: memory bandwidth budget, from 0 to 1. It is the share of each regulation period when best-effort cores may
    /// access memory.
    pub q: Factor,
    /// Whether the bound assumes that the kernel starts together with a regulation period.
    pub sync: bool,
    /// Choice of the thread blocks that count as delayed although memory time covers only a part of their execution.
    #[serde(default)]
    pub straddling: Straddling,
    /// G(Q): upper bound on the execution time [ns].
    pub wcet_ns: Time,
    /// Number of times that gpusched solved Eqs 8–12.
    pub iterations: u32,
    /// t_mem: maximum memory time in any window of length `wcet_ns` [ns].
    pub memory_time_ns: Time,
    /// Proof of the bound. Absent if the bound is from a linear program in floating point, which proves nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Certificate>,
}

/// Multipliers for Eqs 9 and 10 of [Aghilinasab20]. They prove a bound by weak duality.
///
/// Let w = e¹, d = e¹ − e⁰, B = M·t_mem(t) and K = M·(⌈t/T⌉ + 1). In a window of length t, the total delay of the
/// blocks is at most λB + µK + Σ Nᵢ·max(0, dᵢ − min(λwᵢ, µ)). If the left side of Eq. 8 with this delay is at most t,
/// the kernel ends within t. For Q = 0, the multipliers are 0 and Eq. 3 is the bound.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// λ: multiplier for memory time [ns of delay per ns of memory time].
    pub lambda: Ratio,
    /// µ: multiplier for a block whose execution memory time may cover only in part [ns].
    pub mu: Ratio,
}

impl Certificate {
    /// Both multipliers are 0: every block counts as delayed.
    pub const NONE: Certificate = Certificate {
        lambda: Ratio::ZERO,
        mu: Ratio::ZERO,
    };
}

/// Choice of the thread blocks that count as delayed although memory time covers only a part of their execution.
///
/// Suppose that a block progresses at a rate between e⁰/e¹ and 1 during memory time. Then no partly covered block needs
/// to count. Suppose instead that a block takes e¹ as soon as its execution overlaps memory time. Then it is not enough
/// to count the blocks at one end of each memory time, contrary to [Aghilinasab20] §IV-B. See `docs/errata.md`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Straddling {
    /// Blocks at the end of each memory time. At most M blocks count per regulation period, as in Eq. 10.
    #[default]
    End,
    /// Blocks at the start and at the end of each memory time. At most 2M blocks count per regulation period.
    Both,
}
