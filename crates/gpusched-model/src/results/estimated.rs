//! Where times come from that were neither measured nor simulated in full.

use std::fmt;
use std::ops::RangeInclusive;

use serde::Serialize;

/// Times estimated from a few rounds of thread blocks on one SM: no bound, and nothing for a verdict to rest on.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Estimated {
    /// How many rounds were simulated.
    #[schemars(range(min = 2, max = 1000))]
    rounds: u32,
}

impl Estimated {
    /// The numbers of rounds that make an estimate: the second round is the first to show what a further one takes.
    pub const ROUNDS: RangeInclusive<u32> = 2..=1000;

    /// From `rounds` rounds, if they are of [`Estimated::ROUNDS`].
    pub fn new(rounds: u32) -> Option<Estimated> {
        Estimated::ROUNDS
            .contains(&rounds)
            .then_some(Estimated { rounds })
    }

    /// How many rounds were simulated.
    pub fn rounds(self) -> u32 {
        self.rounds
    }
}

/// What goes with the times wherever people see them.
impl fmt::Display for Estimated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rounds = self.rounds;
        write!(
            f,
            "an estimate, not a bound: from {rounds} rounds of blocks on one SM"
        )
    }
}
