//! Limits on the search effort and the time of a search, and the default search effort of each heuristic.

use std::time::Duration;

use super::kind::HeuristicKind;
use gpusched_model::counted;
use gpusched_model::error::{Error, Refusal};

/// Default search effort of [`HeuristicKind::Auto`] for up to 50 tasks: a number of tests of
/// candidate partitions. Under EDF, a search with this effort takes about 100 ms.
pub const AUTO_BUDGET: u64 = 100_000;

/// Default search effort of [`HeuristicKind::Optimal`]: a number of tests of candidate
/// partitions. Under EDF, a search with this effort takes a few seconds for 50 tasks.
pub const OPTIMAL_BUDGET: u64 = 10_000_000;

/// Largest default search effort of [`HeuristicKind::Auto`]. Under EDF, a search with this effort takes about ten seconds.
pub const AUTO_LIMIT: u64 = 5_000_000;

/// Number of tasks above which [`HeuristicKind::Auto`] compares no pairs of partitions. The number of pairs grows
/// quadratically, and the time of merges by savings cubically: a minute for 2,000 tasks.
pub const MANY: usize = 2_000;

/// Limits of a search that has not started yet.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Limits {
    /// Maximum number of tests of candidate partitions.
    pub tests: u64,
    /// Time limit. With a time limit, the results depend on the machine.
    pub time: Option<Duration>,
}

impl Limits {
    /// Returns the total limits of `searches` searches: the sum of their tests, and the time limit of a single search.
    pub fn of_all(self, searches: u64) -> Limits {
        Limits {
            tests: self.tests.saturating_mul(searches),
            ..self
        }
    }
}

impl HeuristicKind {
    /// Returns the largest number of tasks of this heuristic, or `None` without a limit. At the limit, the pairs of
    /// partitions take about 600 MB.
    pub fn most_tasks(self) -> Option<usize> {
        match self {
            HeuristicKind::Savings | HeuristicKind::Matching | HeuristicKind::Optimal => Some(5_000),
            HeuristicKind::Sms | HeuristicKind::Bf => Some(20_000),
            _ => None,
        }
    }

    /// Checks that the heuristic supports `tasks` tasks.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if `tasks` exceeds [`HeuristicKind::most_tasks`].
    pub fn check_tasks(self, tasks: usize) -> Result<(), Error> {
        let Some(most) = self.most_tasks().filter(|&most| tasks > most) else {
            return Ok(());
        };
        let expected =
            format!("at most {most} for heuristic {self}, because it stores a value for each pair of tasks");
        let refusal = Refusal::new("tasks", counted(tasks, "task"), expected);
        let hint = "use the heuristic `auto`, whose memory grows linearly with the number of tasks";
        Err(refusal.hint(hint).into())
    }
}

/// Returns the default search effort of `kind` for the last search beside a shared memory, which seeks a plan with fewer SMs
/// than the plans found so far. For 10 tasks, the effort of `optimal` suffices in most cases for a search through all plans.
pub(crate) fn fewest_budget(kind: HeuristicKind) -> u64 {
    match kind {
        HeuristicKind::Optimal => 10 * AUTO_BUDGET,
        _ => AUTO_BUDGET / 5,
    }
}

/// Returns the default search effort of `kind` for `tasks` tasks. The search effort is a number
/// of tests of candidate partitions. gpusched converts the time of other work, such as linear
/// programs, to a number of tests.
///
/// The time for all linear programs of a search grows with the fourth power of the number of tasks. The search effort
/// of `auto` grows in the same way, up to [`AUTO_LIMIT`] for 133 tasks or more.
///
/// If `beside_traffic` is true, a test counts the memory traffic of all other tasks. Such a test
/// takes 10 to 50 µs instead of 1 µs, so all heuristics use the smallest search effort.
pub fn default_budget(kind: HeuristicKind, tasks: usize, beside_traffic: bool) -> u64 {
    match kind {
        HeuristicKind::Optimal if !beside_traffic => OPTIMAL_BUDGET,
        HeuristicKind::Auto if !beside_traffic => {
            let fourth = u128::try_from(tasks).map_or(u128::MAX, |tasks| tasks.saturating_pow(4));
            let budget = u128::from(AUTO_BUDGET).saturating_mul(fourth) / 50u128.pow(4);
            u64::try_from(budget).map_or(AUTO_LIMIT, |budget| budget.clamp(AUTO_BUDGET, AUTO_LIMIT))
        }
        _ => AUTO_BUDGET,
    }
}
