//! Worst-case response times under preemptive EDF with release jitter (Spuri, INRIA RR-2772,
//! 1996). The response times are exact for sporadic tasks with arbitrary deadlines. The analysis
//! assumes that other jobs with the same deadline execute before the analyzed job.
//!
//! The busy period starts at 0. At this time, each other task j releases a job that arrived Jⱼ
//! earlier. The analyzed job of task i arrives at a − Jᵢ and is released at a. With D'ᵢ = Dᵢ −
//! Jᵢ, its deadline is d = a + D'ᵢ. The earlier jobs of task i arrived as late as possible. The
//! analyzed job ends at the least L that solves the following equation. The sum is over all j ≠ i
//! with D'ⱼ ≤ d:
//!
//! L = (1 + ⌊a/Tᵢ⌋)·Cᵢ + Σ min(⌈(L + Jⱼ)/Tⱼ⌉, 1 + ⌊(d − D'ⱼ)/Tⱼ⌋)·Cⱼ
//!
//! The response time Rᵢ is the maximum of L − a + Jᵢ over all a at which the right-hand side has a step. These values
//! of a are within one busy period or one hyperperiod.

use num_integer::gcd;
use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::demand_bound::utilization_against_one;
use super::qpa::STEP_LIMIT;
use crate::schedulability::Demand;
use gpusched_model::time::Time;

/// Computes the worst-case response time of each task, from the arrival of a job to its end [ns].
/// The response time may exceed the deadline.
///
/// Returns `None` if U > 1, or if the analysis reaches [`STEP_LIMIT`]. Also returns `None` if J > D for a task, because
/// a deadline of such a task may precede the release.
pub fn response_times(demands: &[Demand]) -> Option<Vec<Time>> {
    if utilization_against_one(demands) == Ordering::Greater
        || demands.iter().any(|demand| demand.jitter > demand.deadline)
    {
        return None;
    }
    let mut steps = STEP_LIMIT;
    let horizon = horizon(demands, &mut steps)?;
    (0..demands.len())
        .map(|position| response_time(demands, position, horizon, &mut steps).map(Time::from_ns))
        .collect()
}

/// Returns the horizon of the analysis [ns]. Jobs that arrive after the horizon do not have longer response times. The
/// horizon is the length of the longest busy period or, if the busy period does not end, the hyperperiod.
fn horizon(demands: &[Demand], steps: &mut u64) -> Option<u64> {
    let hyperperiod = demands.iter().try_fold(1u64, |hyperperiod, demand| {
        let period = demand.period.ns();
        (hyperperiod / gcd(hyperperiod, period)).checked_mul(period)
    });
    let mut length = demands
        .iter()
        .try_fold(0u64, |total, demand| total.checked_add(demand.wcet.ns()))?;
    loop {
        *steps = steps.checked_sub(1)?;
        if hyperperiod.is_some_and(|hyperperiod| length >= hyperperiod) {
            return hyperperiod;
        }
        let work = demands.iter().try_fold(0u64, |total, demand| {
            let jobs = length
                .checked_add(demand.jitter.ns())?
                .div_ceil(demand.period.ns());
            total.checked_add(jobs.checked_mul(demand.wcet.ns())?)
        })?;
        if work == length {
            return Some(length);
        }
        length = work;
    }
}

/// Returns D' = D − J.
fn urgency(demand: &Demand) -> u64 {
    demand.deadline.ns().saturating_sub(demand.jitter.ns())
}

fn response_time(demands: &[Demand], position: usize, horizon: u64, steps: &mut u64) -> Option<u64> {
    let own = &demands[position];
    let mut worst = own.wcet.ns().checked_add(own.jitter.ns())?;
    // Candidates for a: the deadline of the analyzed job equals the deadline of a job of another task, or the analyzed
    // job directly follows its predecessor.
    let mut arrivals = BTreeSet::new();
    for demand in demands {
        let period = demand.period.ns();
        let mut arrival = match urgency(demand).checked_sub(urgency(own)) {
            Some(later) => later,
            // First arrival time a ≥ 0 for which the deadline of the analyzed job equals a
            // deadline of the other task.
            None => (period - (urgency(own) - urgency(demand)) % period) % period,
        };
        while arrival < horizon {
            *steps = steps.checked_sub(1)?;
            arrivals.insert(arrival);
            arrival = arrival.checked_add(period)?;
        }
    }
    for arrival in arrivals {
        let done = completion(demands, position, arrival, steps)?;
        worst = worst.max(done.saturating_sub(arrival).checked_add(own.jitter.ns())?);
    }
    Some(worst)
}

/// Returns L, the end of the analyzed job, for a = `arrival` [ns].
fn completion(demands: &[Demand], position: usize, arrival: u64, steps: &mut u64) -> Option<u64> {
    let own = &demands[position];
    let due = arrival.checked_add(urgency(own))?;
    let work = |length: u64| {
        demands
            .iter()
            .enumerate()
            .try_fold(0u64, |total, (other, demand)| {
                let jobs = if other == position {
                    1 + arrival / demand.period.ns()
                } else if let Some(room) = due.checked_sub(urgency(demand)) {
                    let released = length
                        .checked_add(demand.jitter.ns())?
                        .div_ceil(demand.period.ns());
                    released.min(1 + room / demand.period.ns())
                } else {
                    0
                };
                total.checked_add(jobs.checked_mul(demand.wcet.ns())?)
            })
    };
    let mut length = work(1)?;
    loop {
        *steps = steps.checked_sub(1)?;
        let next = work(length)?;
        if next == length {
            return Some(length);
        }
        length = next;
    }
}
