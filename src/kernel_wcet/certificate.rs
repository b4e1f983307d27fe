//! The proof that comes with a bound.

use serde::{Deserialize, Serialize};

use super::ratio::Ratio;

/// Multipliers for Eqs 9 and 10 of [Aghilinasab20] that prove a bound by weak duality.
///
/// With w = e¹, d = e¹ − e⁰, B = M·t_mem(t) and K = M·(⌈t/T⌉ + 1), the blocks suffer at most
/// λB + µK + Σ Nᵢ·max(0, dᵢ − min(λwᵢ, µ)) of delay in a window of length t. If Eq. 8 with that delay is at most t, the kernel
/// ends within t. For Q = 0 the multipliers are 0 and Eq. 3 proves the bound.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// λ: the price of memory time [delay per ns].
    pub lambda: Ratio,
    /// µ: the price of a block that the end of a memory time may cover in part [ns].
    pub mu: Ratio,
}
