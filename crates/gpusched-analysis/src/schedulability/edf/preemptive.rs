//! Preemptive EDF: a task set is schedulable iff U ≤ 1 and dbf(t) ≤ t for every t > 0. The test
//! is exact (Baruah, Mok & Rosier, RTSS 1990).

use std::cmp::Ordering;

use super::blocking::Blocking;
use super::criterion::{Answer, decide, without_jitter};
use super::demand_bound::utilization_against_one;
use super::interval::{interval_to_check, utilization_bound};
use super::lines;
use super::qpa::{Walk, walk};
use crate::schedulability::Demand;
use gpusched_model::time::Time;
use gpusched_model::verdict::Evidence;

/// Tests whether all jobs meet their deadlines under preemptive EDF.
pub fn test(demands: &[Demand]) -> Evidence {
    let mut checked = Vec::new();
    answer(demands, |t, demand| {
        checked.push((Time::from_ns(t), Time::from_ns(demand)));
    })
    .evidence(checked)
}

/// Returns whether [`test`] finds that all jobs meet their deadlines. The function creates no
/// evidence.
pub fn accepts(demands: &[Demand]) -> bool {
    lines::answer(demands, Blocking::NONE)
        .unwrap_or_else(|| matches!(answer(demands, |_, _| {}), Answer::Fits(_)))
}

fn answer(demands: &[Demand], visit: impl FnMut(u64, u64)) -> Answer {
    without_jitter(demands, |tasks| decide(tasks, Blocking::NONE, visit)).unwrap_or_else(Answer::Jitter)
}

/// Returns the slack of a schedulable task set: the largest x with dbf(t) + x ≤ t at every
/// deadline t [ns].
///
/// Extra work of up to x in each busy period, such as an overrun, causes no deadline miss.
/// Returns `None` if the set is not schedulable. If U is 1 or within 2⁻⁴⁸ of 1, the result is a
/// lower bound on the slack, and often 0.
pub fn slack(demands: &[Demand]) -> Option<Time> {
    if !accepts(demands) {
        return None;
    }
    if utilization_against_one(demands) == Ordering::Equal {
        return Some(Time::ZERO);
    }
    without_jitter(demands, slack_below_one).ok()?
}

fn slack_below_one(tasks: &[Demand]) -> Option<Time> {
    let earliest = tasks.iter().map(|task| task.deadline.ns()).min()?;
    let (mut fits, mut fails) = (0, earliest + 1);
    while fails - fits > 1 {
        let extra = fits + (fails - fits) / 2;
        let passes = utilization_bound(tasks, extra)
            .and_then(|bound| interval_to_check(tasks, extra, Some(bound)))
            .is_some_and(|interval| walk(tasks, extra, Blocking::NONE, interval, |_, _| {}) == Walk::Fits);
        if passes {
            fits = extra;
        } else {
            fails = extra;
        }
    }
    Some(Time::from_ns(fits))
}
