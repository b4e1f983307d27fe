//! The processor-demand criterion, extended by blocking: the demand plus the blocking must fit
//! into every interval.

use std::cell::Cell;
use std::cmp::Ordering;

use super::blocking::Blocking;
use super::demand_bound::utilization_against_one;
use super::early;
use super::interval::{self, interval_to_check};
use super::lines;
use super::qpa::{self, STEP_LIMIT, Walk};
use crate::schedulability::{Demand, scratch};
use gpusched_model::time::Time;
use gpusched_model::verdict::Evidence;

/// Result of the processor-demand criterion.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// The demand of every interval is at most the length of the interval. The test checked all intervals up to the
    /// stated length. Longer intervals cannot fail.
    Fits(u64),
    /// The demand of an interval of length `interval` exceeds this length.
    Exceeds { interval: u64, demand: u64 },
    /// The utilization U exceeds 1.
    Overload,
    /// The task at this position has J ≥ D, so jitter alone can make its jobs late.
    Jitter(usize),
    /// The test needs more than [`STEP_LIMIT`] steps, and [early deadlines](early) show no violation.
    TooLong,
}

impl Answer {
    /// Converts the answer to evidence. `checked` has the intervals that QPA visited, and their
    /// demands.
    pub fn evidence(self, checked: Vec<(Time, Time)>) -> Evidence {
        match self {
            Answer::Fits(interval) => Evidence::DemandWithinSupply {
                interval_ns: Time::from_ns(interval),
                checked,
            },
            Answer::Exceeds { interval, demand } => Evidence::DemandExceedsInterval {
                interval_ns: Time::from_ns(interval),
                demand_ns: demand,
            },
            Answer::Overload => Evidence::UtilizationAboveOne,
            Answer::Jitter(task) => Evidence::JitterExceedsDeadline { task },
            Answer::TooLong => Evidence::Undecided { steps: STEP_LIMIT },
        }
    }
}

/// Applies the criterion with the blocking `blocking` to `tasks`. The tasks have no jitter. The function calls `visit`
/// with each interval that QPA visits and with the demand of this interval.
pub(super) fn decide(tasks: &[Demand], blocking: Blocking, visit: impl FnMut(u64, u64)) -> Answer {
    let bound = interval::utilization_bound(tasks, blocking.most());
    // The bound exists only if U < 1.
    if bound.is_none() && utilization_against_one(tasks) == Ordering::Greater {
        return Answer::Overload;
    }
    if blocking.most() == 0 && tasks.iter().all(|task| task.deadline >= task.period) {
        // dbf(t) ≤ U·t ≤ t, so no interval can fail.
        return Answer::Fits(0);
    }
    let walk = interval_to_check(tasks, blocking.most(), bound)
        .map(|interval| (interval, qpa::walk(tasks, 0, blocking, interval, visit)));
    match walk {
        Some((interval, Walk::Fits)) => Answer::Fits(interval),
        Some((_, Walk::Exceeds { interval, demand })) => Answer::Exceeds { interval, demand },
        Some((_, Walk::TooLong)) | None => match early::violation(tasks, &blocking) {
            Some((interval, demand)) => Answer::Exceeds {
                interval,
                demand: u64::try_from(demand).unwrap_or(u64::MAX),
            },
            None => Answer::TooLong,
        },
    }
}

/// Returns whether [`decide`] finds that the demand fits into every interval. The function uses a
/// fast sufficient test first.
pub(super) fn passes(tasks: &[Demand], blocking: Blocking) -> bool {
    if lines::fails_at_first_deadline(tasks, &blocking) {
        return false;
    }
    lines::answer(tasks, blocking)
        .unwrap_or_else(|| matches!(decide(tasks, blocking, |_, _| {}), Answer::Fits(_)))
}

thread_local! {
    static RELEASED: Cell<Vec<Demand>> = const { Cell::new(Vec::new()) };
}

/// Calls `work` with tasks that have the deadline D − J and no jitter. If a task has J ≥ D, the
/// function returns the position of the first such task instead.
pub(super) fn without_jitter<R>(demands: &[Demand], work: impl FnOnce(&[Demand]) -> R) -> Result<R, usize> {
    if demands.iter().all(|demand| demand.jitter == Time::ZERO) {
        return Ok(work(demands));
    }
    let late = |demand: &Demand| demand.jitter >= demand.deadline && demand.wcet > Time::ZERO;
    if let Some(task) = demands.iter().position(late) {
        return Err(task);
    }
    let released = demands.iter().map(|demand| Demand {
        deadline: demand.deadline.checked_sub(demand.jitter).unwrap_or_default(),
        jitter: Time::ZERO,
        ..*demand
    });
    Ok(scratch::with(&RELEASED, released, |tasks| work(tasks)))
}
