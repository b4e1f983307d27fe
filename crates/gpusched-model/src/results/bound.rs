//! Bounds on the execution time of a kernel, with their proofs.

use serde::{Deserialize, Serialize};

use crate::time::Time;
use crate::{Factor, Ratio};

/// An upper bound on the execution time of a kernel under a memory bandwidth budget, and its proof ([Aghilinasab20] Algorithm
/// 1).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    /// Name of the kernel, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Q: memory bandwidth budget, the share of each regulation period when best-effort cores may access memory; 0 to 1.
    pub q: Factor,
    /// Whether the kernel starts at the start of a regulation period.
    pub sync: bool,
    /// Thread blocks that count as delayed although memory time covers only a part of them.
    #[serde(default)]
    pub straddling: Straddling,
    /// G(Q): upper bound on the execution time [ns].
    pub wcet_ns: Time,
    /// Number of times that Eqs 8–12 were solved.
    pub iterations: u32,
    /// t_mem: maximum memory time in a window of length `wcet_ns` [ns].
    pub memory_time_ns: Time,
    /// Proof of the bound. Absent for a linear program in floating point, which proves nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Certificate>,
}

/// Multipliers for Eqs 9 and 10 of [Aghilinasab20] that prove a bound by weak duality.
///
/// Let w = e¹, d = e¹ − e⁰, B = M·t_mem(t) and K = M·(⌈t/T⌉ + 1). In a window of length t, the total delay of the blocks is at
/// most λB + µK + Σ Nᵢ·max(0, dᵢ − min(λwᵢ, µ)). If Eq. 8 with this delay is at most t, the kernel ends within t. For Q = 0 the
/// multipliers are 0, and Eq. 3 is the bound.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// λ: multiplier of memory time [ns of delay per ns].
    pub lambda: Ratio,
    /// µ: multiplier of a block that memory time may cover in part [ns].
    pub mu: Ratio,
}

impl Certificate {
    /// Multipliers 0: every block counts as delayed.
    pub const NONE: Certificate = Certificate {
        lambda: Ratio::ZERO,
        mu: Ratio::ZERO,
    };
}

/// Thread blocks that count as delayed although memory time covers only a part of them.
///
/// If a block progresses at a rate between e⁰/e¹ and 1 during memory time, no partly covered block counts. If a block takes e¹
/// as soon as memory time touches it, one end of each memory time is not enough, contrary to [Aghilinasab20] §IV-B. See
/// `docs/errata.md`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Straddling {
    /// Blocks at the end of each memory time: M per regulation period, as in Eq. 10.
    #[default]
    End,
    /// Blocks at the start and at the end of each memory time: 2M per regulation period.
    Both,
}
