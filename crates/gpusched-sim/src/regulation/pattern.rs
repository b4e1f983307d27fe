//! Access patterns of best-effort cores within a regulation period.

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::bursts::Bursts;
use gpusched_model::streams::{below, unit};

/// Times at which best-effort cores access memory within a regulation period. The pattern does not change the total
/// memory time of the cores, which depends on their budget and their demand.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum AccessPattern {
    /// All memory accesses are at the start of the period, without a pause.
    #[default]
    Front,
    /// All memory accesses are at the end of the period, without a pause.
    Back,
    /// The memory accesses form 64 equal bursts at equal distances.
    Uniform,
    /// The memory accesses form one to eight bursts of random lengths at random times.
    Random,
    /// In each period, gpusched tries several placements of the bursts. The simulation uses the placement with which
    /// the blocks have the most work left.
    Adversarial,
}

impl AccessPattern {
    /// All access patterns.
    pub const ALL: [AccessPattern; 5] = [
        AccessPattern::Front,
        AccessPattern::Back,
        AccessPattern::Uniform,
        AccessPattern::Random,
        AccessPattern::Adversarial,
    ];
}

/// Number of bursts of [`AccessPattern::Uniform`].
const UNIFORM: u32 = 64;

/// Maximum number of bursts of [`AccessPattern::Random`].
const MOST: usize = 8;

/// Placement of a given memory time of best-effort cores in a regulation period.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) enum Placement {
    /// One burst. The number states which fraction of the time without memory accesses is before the burst: from 0
    /// (none) to 1 (all).
    At(f64),
    /// One burst that starts at this time in the period [ns].
    From(f64),
    /// [`UNIFORM`] equal bursts at equal distances.
    Spread,
}

/// Placements that [`AccessPattern::Adversarial`] tries. In addition to this list, the pattern tries one burst that
/// begins when the kernel starts.
pub(super) const ADVERSARIAL: [Placement; 6] = [
    Placement::At(0.0),
    Placement::At(0.25),
    Placement::At(0.5),
    Placement::At(0.75),
    Placement::At(1.0),
    Placement::Spread,
];

impl Placement {
    /// Adds bursts with a total length of `memory` ns to a period of `period` ns.
    pub fn fill(self, bursts: &mut Bursts, memory: f64, period: f64) {
        bursts.clear(period);
        if memory >= period {
            return bursts.push(0.0, period);
        }
        match self {
            Placement::At(share) => {
                let start = (period - memory) * share;
                let end = if share < 1.0 { start + memory } else { period };
                bursts.push(start, end);
            }
            Placement::From(start) => {
                bursts.push(start.min(period - memory), start.min(period - memory) + memory)
            }
            Placement::Spread => {
                let (step, length) = (period / f64::from(UNIFORM), memory / f64::from(UNIFORM));
                for index in 0..UNIFORM {
                    let start = f64::from(index) * step;
                    bursts.push(start, start + length);
                }
            }
        }
    }
}

/// Adds random bursts with a total length of `memory` ns to a period of `period` ns.
pub(super) fn scatter(bursts: &mut Bursts, memory: f64, period: f64, rng: &mut impl Rng) {
    bursts.clear(period);
    let count = below(rng, MOST) + 1;
    // Divides the memory time and the time without memory accesses at random points.
    let mut cuts = |count: usize, length: f64| {
        let mut cuts = [0.0; MOST];
        let filled = cuts.get_mut(..count).unwrap_or_default();
        filled.iter_mut().for_each(|cut| *cut = unit(rng) * length);
        filled.sort_by(f64::total_cmp);
        cuts
    };
    let starts = cuts(count, (period - memory).max(0.0));
    let ends = cuts(count - 1, memory);
    let mut used = 0.0;
    for (index, pause) in starts.iter().take(count).enumerate() {
        let cut = if index + 1 < count {
            ends.get(index).copied().unwrap_or(memory)
        } else {
            memory
        };
        bursts.push(pause + used, pause + cut);
        used = cut;
    }
}
