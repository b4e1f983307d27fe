//! Limits on the search effort and the time of a search.

use std::time::{Duration, Instant};

use gpusched_model::interrupt;
use gpusched_model::plan::EndedBy;

/// Limits that the user sets.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct SearchLimits {
    /// Maximum number of tests of candidate partitions. If absent, gpusched uses
    /// [`default_budget`](crate::partitioning::default_budget).
    pub budget: Option<u64>,
    /// Time limit. The search stops when it has used up the time or the search effort. With a time limit, the results
    /// depend on the machine.
    pub time: Option<Duration>,
}

impl SearchLimits {
    /// Returns the limits. If the user sets no limit on the number of tests, this limit is `tests`.
    pub(crate) fn or(self, tests: u64) -> Limits {
        Limits {
            tests: self.budget.unwrap_or(tests),
            time: self.time,
        }
    }
}

/// Limits of a search that has not started yet.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Limits {
    tests: u64,
    time: Option<Duration>,
}

impl Limits {
    /// Returns the total limits of `searches` searches: the sum of their tests, and the time limit of a single search.
    pub fn of_all(self, searches: u64) -> Limits {
        Limits {
            tests: self.tests.saturating_mul(searches),
            ..self
        }
    }

    /// Returns the maximum number of tests.
    pub fn tests(self) -> u64 {
        self.tests
    }

    /// Starts the search. The time limit counts from now on.
    pub fn start(self) -> Budget {
        Budget::new(self.tests, self.time)
    }
}

/// Limits of a running search: a number of tests and a time limit. Only the time limit makes
/// results depend on the machine.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Budget {
    tests: u64,
    start: Instant,
    limit: Option<Duration>,
}

impl Budget {
    /// Creates a budget of `tests` tests. If `limit` is present, the budget also limits the time, counted from now on.
    pub fn new(tests: u64, limit: Option<Duration>) -> Budget {
        Budget {
            tests,
            start: Instant::now(),
            limit,
        }
    }

    /// Whether the budget is used up after `tested` tests.
    pub fn is_spent(&self, tested: u64) -> bool {
        interrupt::check();
        tested >= self.tests || self.limit.is_some_and(|limit| self.start.elapsed() >= limit)
    }

    /// Returns the limit that the search has reached after `tested` tests, or `None` if it has reached no limit.
    pub fn spent(&self, tested: u64) -> Option<EndedBy> {
        match self.is_spent(tested) {
            false => None,
            true if tested >= self.tests => Some(EndedBy::Budget),
            true => Some(EndedBy::Time),
        }
    }

    /// Returns the remaining time, or `None` without a time limit.
    pub fn time_left(&self) -> Option<Duration> {
        self.limit.map(|limit| limit.saturating_sub(self.start.elapsed()))
    }

    /// Returns the budget with its number of tests limited to `tests`.
    pub fn at_most(self, tests: u64) -> Budget {
        Budget {
            tests: self.tests.min(tests),
            ..self
        }
    }

    /// Divides the budget into `of` equal parts, and returns the first `part` parts as one budget.
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
