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
use gpusched_model::time::Time;
use gpusched_model::verdict::Evidence;

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
        let released = |task: usize| {
            let demand = &tasks.demands[task];
            (u128::from(window) + u128::from(demand.jitter.ns())).div_ceil(demand.period.ns().max(1).into())
        };
        tasks.total(released).plus(alone, slowest)
    });
    let interval = match busy {
        Done::At(interval) => interval,
        Done::Late => return Evidence::BoundExceeded,
        Done::TooLong => return undecided(),
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
            Done::TooLong => return undecided(),
        }
    }
    Evidence::DemandWithinSupply {
        interval_ns: Time::from_ns(interval),
        checked,
    }
}

fn undecided() -> Evidence {
    Evidence::Undecided { steps: STEP_LIMIT }
}

/// Returns D − J [ns].
fn due(demand: &Demand) -> u64 {
    demand.deadline.ns().saturating_sub(demand.jitter.ns())
}

/// Returns the work dbf(t) + B(t), and the start of the interval up to t on which B is constant.
fn needed(tasks: &Contended<'_>, t: u64, hold: fn(&Demand) -> u64) -> (Work, u64) {
    let demand = tasks.total(|task| {
        let demand = &tasks.demands[task];
        t.checked_sub(due(demand))
            .map_or(0, |slack| u128::from(slack / demand.period.ns().max(1)) + 1)
    });
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

/// Returns the latest deadline [ns] before `interval`, if all jobs are released as early as possible.
fn last_before(demands: &[Demand], interval: u64) -> Option<u64> {
    let last = |demand: &Demand| {
        let room = interval.checked_sub(1)?.checked_sub(due(demand))?;
        Some(interval - 1 - room % demand.period.ns().max(1))
    };
    demands.iter().filter_map(last).max()
}
