//! A bound on the execution time of a kernel, with what proves it.

use serde::{Deserialize, Serialize};

use crate::time::Time;
use crate::{Factor, Ratio};

/// A bound on the execution time of a kernel under a memory budget, and its proof ([Aghilinasab20] Algorithm 1).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    /// The kernel, if it has a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Q: the share of each regulation period in which best-effort cores may access memory, 0 to 1.
    pub q: Factor,
    /// Whether the kernel starts with a regulation period.
    pub sync: bool,
    /// Which blocks count as hit although memory time covers them in part only.
    #[serde(default)]
    pub straddling: Straddling,
    /// G(Q): an upper bound on the execution time [ns].
    pub wcet_ns: Time,
    /// How many times Eqs 8–12 were solved.
    pub iterations: u32,
    /// t_mem: the most memory time in a window of that length [ns].
    pub memory_time_ns: Time,
    /// What proves the bound; a linear program in floats proves nothing and has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Certificate>,
}

/// Multipliers for Eqs 9 and 10 of [Aghilinasab20] that prove a bound by weak duality.
///
/// With w = e¹, d = e¹ − e⁰, B = M·t_mem(t) and K = M·(⌈t/T⌉ + 1), the blocks suffer at most
/// λB + µK + Σ Nᵢ·max(0, dᵢ − min(λwᵢ, µ)) of delay in a window of length t. If Eq. 8 with that delay is at most t, the kernel
/// ends within t. For Q = 0 the multipliers are 0 and Eq. 3 is the bound.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// λ: the price of memory time [delay per ns].
    pub lambda: Ratio,
    /// µ: the price of a block that memory time may cover in part [ns].
    pub mu: Ratio,
}

impl Certificate {
    /// No prices: every block counts as hit.
    pub const NONE: Certificate = Certificate {
        lambda: Ratio::ZERO,
        mu: Ratio::ZERO,
    };
}

/// Which blocks count as hit by memory time although it covers them in part only.
///
/// Blocks that progress at a rate between e⁰/e¹ and 1 in memory time need neither. If a block takes e¹ as soon as memory time
/// touches it, one end of each memory time is not enough, contrary to [Aghilinasab20] §IV-B: see `docs/errata.md`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Straddling {
    /// Those at the end of each memory time, M in each period, as in Eq. 10.
    #[default]
    End,
    /// Those at the beginning and at the end of each memory time: 2M in each period.
    Both,
}
