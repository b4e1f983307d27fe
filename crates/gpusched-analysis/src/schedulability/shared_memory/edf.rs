//! EDF beside others: by the end of every interval, its demand is done.
//!
//! Let a deadline at d be the first that is missed, and a the last time before d at which no job with a deadline up to d was
//! pending. From a on the partition runs such jobs, but for one that blocks. Their work within t = d − a is dbf(t) + B(t) at most, so
//! it is done at the least x with x ≥ dbf(t) + B(t) + lost(x); if x ≤ t, nothing is missed. dbf steps at deadlines, so these t
//! are enough. No busy window is longer than L, the least L with L ≥ B + Σ ⌈(L + J)/T⌉·C + lost(L).
//!
//! Backwards from L: if the work of t is done at x ≤ t, that of t' from x to t is, too, as long as B does not change (QPA).

use super::contended::{Contended, STEP_LIMIT};
use super::window::{Done, Work};
use crate::schedulability::Demand;
use gpusched_model::time::Time;
use gpusched_model::verdict::Evidence;

/// Whether all deadlines are met; a task of less urgency holds up others for `hold` [ns] at most.
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

/// D − J [ns].
fn due(demand: &Demand) -> u64 {
    demand.deadline.ns().saturating_sub(demand.jitter.ns())
}

/// dbf(t) + B(t), and since when B has this value.
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
    // Going back, blocking grows where the deadline of a task that holds up longer comes into sight: alone or at its slowest.
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

/// The latest deadline of a job before `interval`, all jobs being released as early as can be.
fn last_before(demands: &[Demand], interval: u64) -> Option<u64> {
    let last = |demand: &Demand| {
        let room = interval.checked_sub(1)?.checked_sub(due(demand))?;
        Some(interval - 1 - room % demand.period.ns().max(1))
    };
    demands.iter().filter_map(last).max()
}
