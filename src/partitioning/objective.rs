//! What a search aims for, and how much it may spend.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// What a search aims for.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Objective {
    /// As few SMs as possible.
    #[default]
    Sms,
    /// A plan that fits on the GPU; the search ends with the first.
    Feasible,
}

impl Objective {
    /// The number of SMs at which a search on `sms` SMs may end, if no plan has fewer than `bound`.
    pub(super) fn target(self, sms: u32, bound: u32) -> u32 {
        match self {
            Objective::Sms => bound,
            Objective::Feasible => sms.max(bound),
        }
    }

    /// From where on a lower bound is of no interest, beside a plan of `held` SMs on a GPU of `sms`.
    pub(super) fn enough(self, sms: u32, held: u32) -> u32 {
        match self {
            Objective::Sms => held,
            Objective::Feasible => held.min(sms.saturating_add(1)),
        }
    }

    /// Whether this is the default, which files leave out.
    pub(crate) fn is_default(&self) -> bool {
        *self == Objective::default()
    }
}

/// How long a search goes on: so many tests of groups, which is the same everywhere, or so much time, which is not.
#[derive(Copy, Clone, Debug)]
pub(super) struct Budget {
    tests: u64,
    start: Instant,
    limit: Option<Duration>,
}

impl Budget {
    /// At most `tests` tests, and, if that is given, `limit` from now on.
    pub fn new(tests: u64, limit: Option<Duration>) -> Budget {
        Budget {
            tests,
            start: Instant::now(),
            limit,
        }
    }

    /// Whether it is spent after `tested` tests.
    pub fn is_spent(&self, tested: u64) -> bool {
        tested >= self.tests || self.limit.is_some_and(|limit| self.start.elapsed() >= limit)
    }

    /// How many tests are left after `tested`.
    #[cfg(feature = "highs")]
    pub fn tests_left(&self, tested: u64) -> u64 {
        self.tests.saturating_sub(tested)
    }

    /// How much time is left, if that is limited.
    #[cfg(feature = "highs")]
    pub fn time_left(&self) -> Option<Duration> {
        self.limit.map(|limit| limit.saturating_sub(self.start.elapsed()))
    }

    /// The same, and no more than `tests` tests.
    pub fn at_most(self, tests: u64) -> Budget {
        Budget {
            tests: self.tests.min(tests),
            ..self
        }
    }

    /// The first `part` of `of` equal parts.
    pub fn part(self, part: u32, of: u32) -> Budget {
        let of = of.max(1);
        let share = u128::from(self.tests) * u128::from(part) / u128::from(of);
        Budget {
            tests: u64::try_from(share).unwrap_or(u64::MAX),
            limit: self.limit.map(|limit| limit / of * part),
            ..self
        }
    }
}
