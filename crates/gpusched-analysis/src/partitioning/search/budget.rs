//! How much a search may spend.

use std::time::{Duration, Instant};

use gpusched_model::plan::EndedBy;

/// What the user lets a search spend.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct SearchLimits {
    /// How many groups of tasks are tested at most; if absent, [`default_budget`](crate::partitioning::default_budget).
    pub budget: Option<u64>,
    /// After how much time the search stops, if that is earlier. Answers then depend on the machine.
    pub time: Option<Duration>,
}

impl SearchLimits {
    /// The same with a number of tests in any case: `tests` unless the user gave one.
    pub(crate) fn or(self, tests: u64) -> Limits {
        Limits {
            tests: self.budget.unwrap_or(tests),
            time: self.time,
        }
    }
}

/// What a search may spend, before it starts.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Limits {
    tests: u64,
    time: Option<Duration>,
}

impl Limits {
    /// The tests of `searches` searches, and the time of one.
    pub fn of_all(self, searches: u64) -> Limits {
        Limits {
            tests: self.tests.saturating_mul(searches),
            ..self
        }
    }

    /// From now on.
    pub fn start(self) -> Budget {
        Budget::new(self.tests, self.time)
    }
}

/// How long a search goes on: so many tests of groups, which is the same everywhere, or so much time, which is not.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Budget {
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

    /// What of it is spent after `tested` tests, if anything is.
    pub fn spent(&self, tested: u64) -> Option<EndedBy> {
        match self.is_spent(tested) {
            false => None,
            true if tested >= self.tests => Some(EndedBy::Budget),
            true => Some(EndedBy::Time),
        }
    }

    /// How many tests are left after `tested`.
    #[cfg(feature = "highs")]
    pub fn tests_left(&self, tested: u64) -> u64 {
        self.tests.saturating_sub(tested)
    }

    /// How much time is left, if that is limited.
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
