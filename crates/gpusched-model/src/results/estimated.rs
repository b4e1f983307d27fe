//! Provenance of times that were neither measured nor simulated in full.

use std::fmt;
use std::ops::RangeInclusive;

use serde::Serialize;

/// Marks times that are estimated from a few rounds of thread blocks on one SM. They are not bounds, and a verdict cannot use
/// them.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Estimated {
    /// Number of simulated rounds.
    #[schemars(range(min = 2, max = 1000))]
    rounds: u32,
}

impl Estimated {
    /// Valid numbers of rounds for an estimate. The second round is the first one that shows the time of a further round.
    pub const ROUNDS: RangeInclusive<u32> = 2..=1000;

    /// Creates the mark of an estimate from `rounds` rounds, if the number is in [`Estimated::ROUNDS`].
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

/// Writes the note that every display of the times contains.
impl fmt::Display for Estimated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rounds = self.rounds;
        write!(
            f,
            "an estimate, not a bound: from {rounds} rounds of blocks on one SM"
        )
    }
}
