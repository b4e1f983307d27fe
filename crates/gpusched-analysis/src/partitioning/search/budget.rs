//! Limits of a running search on its effort and its time.

use std::time::{Duration, Instant};

use crate::partitioning::heuristic::Limits;
use gpusched_model::interrupt;
use gpusched_model::plan::EndedBy;

/// Limits of a running search: a number of tests and a time limit. Only the time limit makes
/// results depend on the machine.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Budget {
    tests: u64,
    start: Instant,
    limit: Option<Duration>,
}

impl Budget {
    /// Starts a search with `limits`. The time limit counts from now on.
    pub fn start(limits: Limits) -> Budget {
        Budget::new(limits.tests, limits.time)
    }

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
        tested >= self.tests
            || interrupt::ends_searches()
            || self.limit.is_some_and(|limit| self.start.elapsed() >= limit)
    }

    /// Returns the limit that the search has reached after `tested` tests, or `None` if it has reached no limit.
    pub fn spent(&self, tested: u64) -> Option<EndedBy> {
        match self.is_spent(tested) {
            false => None,
            true if interrupt::ends_searches() => Some(EndedBy::Interrupt),
            true if tested >= self.tests => Some(EndedBy::Budget),
            true => Some(EndedBy::Time),
        }
    }

    /// Returns the remaining time, or `None` without a time limit.
    pub fn time_left(&self) -> Option<Duration> {
        if interrupt::ends_searches() {
            return Some(Duration::ZERO);
        }
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
