//! Mark for estimated times, which gpusched computes from an incomplete simulation.

use std::fmt;
use std::ops::RangeInclusive;

use serde::Serialize;

/// Mark for times that gpusched estimated from the first rounds of thread blocks. Estimated times
/// are not bounds, so verdicts must not use estimated times.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct Estimated {
    /// Minimum number of simulated rounds.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = 1000)))]
    rounds: u32,
}

impl Estimated {
    /// Valid numbers of rounds for an estimate. An estimate needs at least two rounds, because the difference between
    /// rounds shows the uncertainty.
    pub const ROUNDS: RangeInclusive<u32> = 2..=1000;

    /// Creates the mark for an estimate from `rounds` rounds. Returns `None` if `rounds` is
    /// outside [`Estimated::ROUNDS`].
    pub fn new(rounds: u32) -> Option<Estimated> {
        Estimated::ROUNDS
            .contains(&rounds)
            .then_some(Estimated { rounds })
    }

    /// Returns the minimum number of simulated rounds.
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
            "estimated from at least {rounds} rounds of thread blocks: an estimate is not a bound"
        )
    }
}
