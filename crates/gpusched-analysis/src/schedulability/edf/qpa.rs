//! Quick Processor-demand Analysis (QPA; Zhang & Burns, IEEE Trans. Computers 58(9), 2009),
//! extended by blocking.
//!
//! QPA visits interval lengths t in descending order. The first length is L. Let f(t) = dbf(t) + B(t). Suppose that
//! f(t) ≤ t and that B is constant from f(t) to t. Then f(t') ≤ f(t) ≤ t' for each t' in this range, so the range has
//! no violation. B is a step function with fewer steps than tasks. If f(t) is below the start of the step of B at t,
//! QPA continues at the last deadline before this start.

use super::blocking::Blocking;
use super::demand_bound::{demand_bound, last_deadline_before};
use crate::schedulability::Demand;

/// Number of steps after which the test gives up with
/// [`Undecided`](gpusched_model::verdict::Evidence::Undecided). QPA and the search for a busy
/// period count their steps separately. A step takes O(n) time for n tasks.
///
/// A test reaches this limit only if U is 1 or close to 1, and the hyperperiod is extremely long.
/// The problem is coNP-hard.
pub const STEP_LIMIT: u64 = 1_000_000;

/// Result of QPA.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Walk {
    /// QPA reached the first deadline without a violation.
    Fits,
    /// QPA found a violation in an interval of length `interval`.
    Exceeds { interval: u64, demand: u64 },
    /// QPA reached the step limit.
    TooLong,
}

/// Checks whether dbf(t) + B(t) + `extra` ≤ t at every deadline t ≤ `interval`. For each t that
/// QPA visits, the function calls `visit` with t and the left-hand side.
pub(super) fn walk(
    tasks: &[Demand],
    extra: u64,
    blocking: Blocking,
    interval: u64,
    mut visit: impl FnMut(u64, u64),
) -> Walk {
    let mut next = last_deadline_before(tasks, interval.saturating_add(1));
    for _ in 0..STEP_LIMIT {
        let Some(t) = next else { return Walk::Fits };
        let due = demand_bound(tasks, t);
        if due == 0 {
            return Walk::Fits; // t is before the first deadline
        }
        let step = blocking.at(tasks, t);
        let demand = due.saturating_add(u128::from(extra) + u128::from(step.hold));
        next = match u64::try_from(demand) {
            Ok(demand) if demand <= t => {
                visit(t, demand);
                match demand {
                    _ if demand < step.since => last_deadline_before(tasks, step.since),
                    _ if demand < t => Some(demand),
                    _ => last_deadline_before(tasks, t),
                }
            }
            _ => {
                return Walk::Exceeds {
                    interval: t,
                    demand: u64::try_from(demand).unwrap_or(u64::MAX),
                };
            }
        };
    }
    Walk::TooLong
}
