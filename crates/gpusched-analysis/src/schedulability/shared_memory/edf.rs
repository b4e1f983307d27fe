//! EDF under interference delay. For every interval, the test checks whether the partition completes the demand by the
//! end of the interval.
//!
//! Let d be the first missed deadline. Let a be the last time before d at which no job with a deadline of at most d is
//! pending. From a to d, the partition executes at most one blocking job, and otherwise only jobs with deadlines of at
//! most d. With t = d − a, the total work of all these jobs is at most dbf(t) + B(t). The partition completes the work
//! at the least x with x ≥ dbf(t) + B(t) + lost(x), where lost(x) is the interference delay in a window of length x. If
//! x ≤ t, the job meets the deadline d.
//!
//! The function dbf has its steps at deadlines, so the test checks only deadlines t. No busy
//! window is longer than L, the least L with L ≥ B + Σ ⌈(L + J)/T⌉·C + lost(L).
//!
//! As in QPA, the test visits t in descending order, beginning with L. Suppose that the partition completes the work
//! for t at x ≤ t. If B is constant from x to t, the partition also completes the work for each t' from x to t by t'.

use super::contended::{Contended, STEP_LIMIT};
use super::window::{Done, Work};
use crate::schedulability::Demand;
use crate::schedulability::edf::EARLY_DEADLINES;
use gpusched_model::time::Time;
use gpusched_model::verdict::Evidence;

/// Number of steps after which the search for a violation at early deadlines ends.
const EARLY_STEPS: u64 = 1_000_000;

/// Tests whether all jobs meet their deadlines. A task blocks jobs with earlier deadlines for at
/// most `hold` [ns].
pub(super) fn test(tasks: &Contended<'_>, hold: fn(&Demand) -> u64) -> Evidence {
    let mut steps = STEP_LIMIT;
    let longest = |demands: &[Demand]| {
        let earliest = demands.iter().map(due).min().unwrap_or(0);
        let later = demands.iter().filter(|demand| due(demand) > earliest);
        later.map(hold).max().unwrap_or(0)
    };
    let (alone, slowest) = (longest(tasks.demands), tasks.slowest.map_or(0, longest));
    let busy = tasks.done(1, Time::LIMIT.ns(), &mut steps, |window| {
        let released = |demand: &Demand| {
            (u128::from(window) + u128::from(demand.jitter.ns())).div_ceil(demand.period.ns().max(1).into())
        };
        let jobs = tasks.demands.iter().map(released).enumerate();
        tasks.total(jobs).plus(alone, slowest)
    });
    let interval = match busy {
        Done::At(interval) => interval,
        Done::Late => return Evidence::BoundExceeded,
        Done::TooLong => return Evidence::Undecided { steps: STEP_LIMIT },
    };
    let mut checked = Vec::new();
    let mut next = last_before(tasks.demands, interval + 1);
    while let Some(t) = next {
        let (work, since) = needed(tasks, t, hold);
        match tasks.done(1, t, &mut steps, |_| work) {
            Done::At(done) => {
                checked.push((Time::from_ns(t), Time::from_ns(done)));
                next = last_before(tasks.demands, done.max(since));
            }
            Done::Late => return Evidence::BoundExceeded,
            Done::TooLong => return Evidence::Undecided { steps: STEP_LIMIT },
        }
    }
    Evidence::DemandWithinSupply {
        interval_ns: Time::from_ns(interval),
        checked,
    }
}

/// Whether [`test`] certainly fails: the partition is overloaded, or it completes the work of one of the first
/// [`EARLY_DEADLINES`] deadlines too late. [`test`] visits these deadlines last, so it does not reach them if it is
/// inconclusive.
pub(super) fn fails_early(tasks: &Contended<'_>, hold: fn(&Demand) -> u64) -> bool {
    if tasks.is_overloaded() {
        return true;
    }
    let mut steps = EARLY_STEPS;
    let mut last = None;
    for _ in 0..EARLY_DEADLINES {
        let Some(t) = first_after(tasks.demands, last) else {
            return false;
        };
        let work = needed(tasks, t, hold).0;
        // In most cases, the first step already shows that the partition completes the work by t.
        let done = match tasks.done(t, t, &mut steps, |_| work) {
            Done::Late => tasks.done(1, t, &mut steps, |_| work),
            done => done,
        };
        match done {
            Done::At(_) => last = Some(t),
            Done::Late => return true,
            Done::TooLong => return false,
        }
    }
    false
}

/// Returns D − J [ns].
fn due(demand: &Demand) -> u64 {
    demand.deadline.ns().saturating_sub(demand.jitter.ns())
}

/// Returns the work dbf(t) + B(t), and the start of the interval up to t on which B is constant.
fn needed(tasks: &Contended<'_>, t: u64, hold: fn(&Demand) -> u64) -> (Work, u64) {
    let jobs = |demand: &Demand| {
        t.checked_sub(due(demand))
            .map_or(0, |slack| u128::from(slack / demand.period.ns().max(1)) + 1)
    };
    let demand = tasks.total(tasks.demands.iter().map(jobs).enumerate());
    let blocking = |demands: &[Demand]| {
        let later = demands.iter().filter(|demand| due(demand) > t);
        later.map(hold).max().unwrap_or(0)
    };
    // As t decreases, B increases when t passes the deadline of a task that blocks longer. This rule applies in
    // isolation and at the guaranteed bandwidth.
    let since = |demands: &[Demand]| {
        let most = blocking(demands);
        let longer = demands
            .iter()
            .filter(|demand| due(demand) <= t && hold(demand) > most);
        longer.map(due).max().unwrap_or(0)
    };
    let work = demand.plus(blocking(tasks.demands), tasks.slowest.map_or(0, blocking));
    (work, since(tasks.demands).max(tasks.slowest.map_or(0, since)))
}

/// Returns the earliest deadline [ns] after `last`, if all jobs are released as early as possible.
fn first_after(demands: &[Demand], last: Option<u64>) -> Option<u64> {
    let first = |demand: &Demand| match last.and_then(|last| last.checked_sub(due(demand))) {
        None => Some(due(demand)),
        Some(beyond) => {
            let jobs = beyond / demand.period.ns().max(1) + 1;
            jobs.checked_mul(demand.period.ns().max(1))?
                .checked_add(due(demand))
        }
    };
    demands.iter().filter_map(first).min()
}

/// Returns the latest deadline [ns] before `interval`, if all jobs are released as early as possible.
fn last_before(demands: &[Demand], interval: u64) -> Option<u64> {
    let last = |demand: &Demand| {
        let room = interval.checked_sub(1)?.checked_sub(due(demand))?;
        Some(interval - 1 - room % demand.period.ns().max(1))
    };
    demands.iter().filter_map(last).max()
}
