//! Bounds on the execution time of a kernel, with their proofs.

use serde::{Deserialize, Serialize};

use super::assumptions::Assumption;
use super::identity::Identity;
use crate::time::Time;
use crate::{Factor, Ratio};

/// An upper bound on the execution time of a kernel under a memory bandwidth budget, with its proof ([Aghilinasab20]
/// Algorithm 1).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Bound {
    /// Name of the kernel. Absent if the kernel has no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Q: memory bandwidth budget, from 0 to 1. In this share of each regulation period,
    /// best-effort cores may access memory.
    pub q: Factor,
    /// Whether the bound assumes that the kernel starts at the start of a regulation period.
    pub sync: bool,
    /// Rule that decides which thread blocks count as delayed, among the blocks that overlap memory time only in part.
    /// *Memory time* is the time when best-effort cores access memory.
    #[serde(default)]
    pub straddling: Straddling,
    /// G(Q): upper bound on the execution time [ns].
    pub wcet_ns: Time,
    /// Number of times gpusched solved Eqs 8–12 of [Aghilinasab20].
    pub iterations: u32,
    /// t_mem: maximum time for which best-effort cores access memory in any window of length `wcet_ns` [ns].
    pub memory_time_ns: Time,
    /// Proof of the bound. Absent if the bound is from a linear program in floating point, which
    /// is not a proof.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Certificate>,
    /// Assumptions of the bound. gpusched does not check these assumptions. `wcet verify` compares the list with its
    /// own list. Absent in results of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assumptions: Option<Vec<Assumption>>,
    /// Inputs, options and version that led to the result. Absent in results of older versions and of programs that use the library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<Identity>,
}

/// Multipliers for Eqs 9 and 10 of [Aghilinasab20]. The multipliers prove a bound by weak
/// duality.
///
/// Symbols: Nᵢ blocks of cluster i, with WCET e⁰ in isolation and e¹ under interference; at most M running blocks;
/// regulation period T. Let w = e¹, d = e¹ − e⁰, B = M·t_mem(t) and K = M·(⌈t/T⌉ + 1). In a window of length t, the
/// total delay of the blocks is at most λB + µK + Σ Nᵢ·max(0, dᵢ − min(λwᵢ, µ)). The kernel ends within t if the left
/// side of Eq. 8 with this delay is at most t. For a memory bandwidth budget Q = 0, the multipliers are 0 and the bound
/// is Eq. 3.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// λ: multiplier for memory time [ns of delay per ns of memory time].
    pub lambda: Ratio,
    /// µ: multiplier for a block whose execution may overlap memory time only in part [ns].
    pub mu: Ratio,
}

impl Certificate {
    /// Multipliers of 0: every block counts as delayed.
    pub const NONE: Certificate = Certificate {
        lambda: Ratio::ZERO,
        mu: Ratio::ZERO,
    };
}

/// Rule that decides which thread blocks count as delayed, among the blocks that overlap memory time only in part.
/// *Memory time* is the time when best-effort cores access memory.
///
/// The correct rule depends on the GPU. If a block progresses at a rate between e⁰/e¹ and 1 during memory time, blocks
/// with a partial overlap need not count as delayed. If any overlap with memory time extends a block to e¹, blocks at
/// both ends of each memory time must count. [Aghilinasab20] §IV-B counts only the blocks at one end. See
/// `docs/errata.md`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Straddling {
    /// Counts the blocks at the end of each memory time: at most M blocks per regulation period, as in Eq. 10.
    #[default]
    End,
    /// Counts the blocks at the start and at the end of each memory time: at most 2M blocks per regulation period.
    Both,
}
