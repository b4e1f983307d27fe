//! Limits on the search effort and the time of a search.

use std::time::{Duration, Instant};

use gpusched_model::plan::EndedBy;

/// The limits that the user sets.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct SearchLimits {
    /// Maximum number of tests of candidate partitions. If absent, gpusched uses
    /// [`default_budget`](crate::partitioning::default_budget).
    pub budget: Option<u64>,
    /// Time limit. The search stops when the time or the search effort is spent. With a time limit, results depend on the
    /// machine.
    pub time: Option<Duration>,
}

impl SearchLimits {
    /// Returns the limits with `tests` tests unless the user set another number.
    pub(crate) fn or(self, tests: u64) -> Limits {
        Limits {
            tests: self.budget.unwrap_or(tests),
            time: self.time,
        }
    }
}

/// The limits of a search before it starts.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Limits {
    tests: u64,
    time: Option<Duration>,
}

impl Limits {
    /// Returns the limits of `searches` searches together: the sum of their tests, and the time limit of one.
    pub fn of_all(self, searches: u64) -> Limits {
        Limits {
            tests: self.tests.saturating_mul(searches),
            ..self
        }
    }

    /// Starts the search: the time limit counts from now on.
    pub fn start(self) -> Budget {
        Budget::new(self.tests, self.time)
    }
}

/// The limits of a running search: a number of tests, which is the same on every machine, and a time limit, which is not.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Budget {
    tests: u64,
    start: Instant,
    limit: Option<Duration>,
}

impl Budget {
    /// Creates a budget of at most `tests` tests and, if given, at most the time `limit` from now on.
    pub fn new(tests: u64, limit: Option<Duration>) -> Budget {
        Budget {
            tests,
            start: Instant::now(),
            limit,
        }
    }

    /// Whether the budget is spent after `tested` tests.
    pub fn is_spent(&self, tested: u64) -> bool {
        tested >= self.tests || self.limit.is_some_and(|limit| self.start.elapsed() >= limit)
    }

    /// The limit that is reached after `tested` tests; `None` if neither is.
    pub fn spent(&self, tested: u64) -> Option<EndedBy> {
        match self.is_spent(tested) {
            false => None,
            true if tested >= self.tests => Some(EndedBy::Budget),
            true => Some(EndedBy::Time),
        }
    }

    /// The number of remaining tests after `tested` tests.
    #[cfg(feature = "highs")]
    pub fn tests_left(&self, tested: u64) -> u64 {
        self.tests.saturating_sub(tested)
    }

    /// The remaining time; `None` without a time limit.
    pub fn time_left(&self) -> Option<Duration> {
        self.limit.map(|limit| limit.saturating_sub(self.start.elapsed()))
    }

    /// Returns the budget with at most `tests` tests.
    pub fn at_most(self, tests: u64) -> Budget {
        Budget {
            tests: self.tests.min(tests),
            ..self
        }
    }

    /// Returns the first `part` of `of` equal parts of the budget.
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
