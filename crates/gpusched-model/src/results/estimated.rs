//! Mark for estimated times, which gpusched computes from an incomplete simulation.

use std::fmt;
use std::ops::RangeInclusive;

use serde::Serialize;

/// Mark for times that gpusched estimated from a few rounds of thread blocks on one SM. Estimated
/// times are not bounds, so verdicts must not use estimated times.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Estimated {
    /// Number of simulated rounds.
    #[schemars(range(min = 2, max = 1000))]
    rounds: u32,
}

impl Estimated {
    /// Valid numbers of rounds for an estimate. An estimate needs at least two rounds, because
    /// the second round shows the time of each further round.
    pub const ROUNDS: RangeInclusive<u32> = 2..=1000;

    /// Creates the mark for an estimate from `rounds` rounds. Returns `None` if `rounds` is
    /// outside [`Estimated::ROUNDS`].
    pub fn new(rounds: u32) -> Option<Estimated> {
        Estimated::ROUNDS
            .contains(&rounds)
            .then_some(Estimated { rounds })
    }

    /// Returns the number of simulated rounds.
    pub fn rounds(self) -> u32 {
        self.rounds
    }
}

/// Writes the note that gpusched displays together with estimated times.
impl fmt::Display for Estimated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rounds = self.rounds;
        write!(
            f,
            "estimated from {rounds} rounds of thread blocks on one SM: an estimate is not a bound"
        )
    }
}
