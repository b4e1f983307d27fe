//! First in, first out, without preemption: jobs run in the order of their releases. The test is exact.
//!
//! Let a busy period start at time 0, with the release of a job after all earlier jobs have completed. All jobs that run
//! before a job with release r were released in [0, r], so no job of a later release blocks it. Most jobs are released in
//! [0, r] if each task releases its first job at 0, with the largest jitter, and its later jobs on arrival. The job itself
//! arrives at r − Jᵢ. So the job of task i completes at F(r) at the latest, and Rᵢ = max (F(r) − r) + Jᵢ:
//!
//! ```text
//! F(r) = Σ_{j < i} Cⱼ·(⌊(r + Jⱼ)/Tⱼ⌋ + 1) + Cᵢ·(⌊r/Tᵢ⌋ + 1) + Σ_{j > i} Cⱼ·nⱼ(r)
//! nⱼ(r) = 0 if r = 0, and ⌊(r − 1 + Jⱼ)/Tⱼ⌋ + 1 if r > 0
//! ```
//!
//! nⱼ(r) is the number of jobs that task j releases before r. If both tasks release a job at r, task i is first.
//!
//! The maximum is at r = 0, at r = 1, or where F grows. Let L be the end of the longest busy period. For r ≥ L, all jobs
//! released before L have completed by L, so F(r) − r ≤ F(r − L) − (r − L), and r < L suffices. If U = 1, F(r) − r repeats
//! after each hyperperiod. Without jitter, F(r) − r is at most Σ C, and below Σ C for r > 0 if a task j > i exists. So
//! r = 0 and r = 1 suffice.
//!
//! Bedarkar, Vardishvili, Bozhko, Maida & Brandenburg, RTSS 2022, prove the bound without the tie at r and with a common Rᵢ.

use std::cmp::Ordering;

use super::Demand;
use super::fixed_priority::STEP_LIMIT;
use gpusched_model::time::Time;
use gpusched_model::utilization::compare_total;
use gpusched_model::verdict::Evidence;
use num_integer::gcd;

/// Tests whether all jobs meet their deadlines under first in, first out.
pub fn test(demands: &[Demand]) -> Evidence {
    let Some(end) = end_of_search(demands) else {
        return Evidence::UtilizationAboveOne;
    };
    let mut response_times_ns = Vec::with_capacity(demands.len());
    let mut undecided = false;
    for (task, demand) in demands.iter().enumerate() {
        match worst_case(demands, task, end, demand.deadline) {
            Some(worst) if worst.response > demand.deadline => {
                return Evidence::DeadlineMissed {
                    task,
                    busy_period_ns: worst.completion,
                    response_time_ns: worst.response,
                };
            }
            Some(worst) => response_times_ns.push(worst.response),
            // A later task may still miss its deadline.
            None => undecided = true,
        }
    }
    match undecided {
        true => Evidence::Undecided { steps: STEP_LIMIT },
        false => Evidence::ResponseTimes {
            priorities: (0..demands.len()).collect(),
            response_times_ns,
        },
    }
}

/// Returns whether [`test`] finds that all jobs meet their deadlines. The function creates no evidence.
pub fn accepts(demands: &[Demand]) -> bool {
    let Some(end) = end_of_search(demands) else {
        return false;
    };
    let meets = |(task, demand): (usize, &Demand)| {
        worst_case(demands, task, end, demand.deadline).is_some_and(|worst| worst.response <= demand.deadline)
    };
    demands.iter().enumerate().all(meets)
}

/// Returns the longest response time of each task [ns]. The response time may exceed the deadline. It is `None` if it is
/// unbounded, or if the analysis reaches [`STEP_LIMIT`].
pub fn response_times(demands: &[Demand]) -> Vec<Option<Time>> {
    let end = end_of_search(demands);
    let bound = |task| Some(worst_case(demands, task, end?, NEVER)?.response);
    (0..demands.len()).map(bound).collect()
}

/// A deadline that no response time exceeds.
const NEVER: Time = Time::from_ns(u64::MAX);

/// The job with the longest response time.
struct Worst {
    /// F(r): time from the start of the busy period to the completion of the job.
    completion: Time,
    /// F(r) − r + J: time from the arrival to the completion of the job.
    response: Time,
}

/// Returns a time r from which on F(r) − r has no further maximum, or `None` if U > 1. If the time is unknown, it is the
/// largest number.
fn end_of_search(demands: &[Demand]) -> Option<u64> {
    let terms = demands
        .iter()
        .map(|demand| (demand.wcet.ns().into(), demand.period.ns()));
    let load = compare_total(terms, 1);
    if load == Ordering::Greater {
        return None;
    }
    if demands.iter().all(|demand| demand.jitter == Time::ZERO) {
        return Some(2);
    }
    let end = match load {
        Ordering::Equal => hyperperiod(demands).and_then(|hyperperiod| hyperperiod.checked_add(1)),
        _ => busy_period(demands),
    };
    Some(end.map_or(u64::MAX, |end| end.max(2)))
}

/// Returns the least common multiple of all periods [ns], or `None` if it exceeds 64 bits.
fn hyperperiod(demands: &[Demand]) -> Option<u64> {
    demands.iter().try_fold(1u64, |hyperperiod, demand| {
        let period = demand.period.ns().max(1);
        (hyperperiod / gcd(hyperperiod, period)).checked_mul(period)
    })
}

/// Returns the length L of the longest busy period [ns]: the least L > 0 with L ≥ Σ C·⌈(L + J)/T⌉. Returns `None` if the
/// length exceeds 64 bits, or after [`STEP_LIMIT`] steps.
fn busy_period(demands: &[Demand]) -> Option<u64> {
    let mut length = 1u64;
    for _ in 0..STEP_LIMIT {
        let longer = demands.iter().try_fold(0u64, |total, demand| {
            let jobs = length
                .checked_add(demand.jitter.ns())?
                .div_ceil(demand.period.ns().max(1));
            total.checked_add(jobs.checked_mul(demand.wcet.ns())?)
        })?;
        if longer <= length {
            return Some(length);
        }
        length = longer;
    }
    None
}

/// Returns the worst case of the task at position `task` over all r < `end`, or a job whose response time exceeds
/// `deadline`. Returns `None` after [`STEP_LIMIT`] steps, and if r exceeds the largest time.
fn worst_case(demands: &[Demand], task: usize, end: u64, deadline: Time) -> Option<Worst> {
    let jitter = demands[task].jitter;
    let (mut longest, mut worst) = (0, None);
    let mut r = 0u64;
    for _ in 0..STEP_LIMIT {
        // F(r), and the next time at which F grows.
        let (mut work, mut next) = (0u128, u64::MAX);
        for (other, demand) in demands.iter().enumerate() {
            let period = demand.period.ns().max(1);
            // Jobs are released at `since` and every period after it.
            let (since, before) = match other.cmp(&task) {
                Ordering::Less => (demand.jitter.ns(), 0),
                Ordering::Equal => (0, 0),
                Ordering::Greater if r == 0 => continue,
                Ordering::Greater => (demand.jitter.ns(), 1),
            };
            // Neither sum exceeds 64 bits, because both times are at most `Time::LIMIT`.
            let jobs = (r - before + since) / period + 1;
            work = work.saturating_add(u128::from(jobs) * u128::from(demand.wcet.ns()));
            // If the product saturates, the search visits a time at which F does not grow.
            next = next.min(
                jobs.saturating_mul(period)
                    .saturating_sub(since)
                    .saturating_add(before),
            );
        }
        let waited = work.saturating_sub(r.into());
        if worst.is_none() || waited > longest {
            longest = waited;
            // A completion time beyond 64 bits is a lower bound.
            let completion = u64::try_from(work)
                .unwrap_or(u64::MAX)
                .min(u64::MAX - jitter.ns());
            let response = completion.saturating_sub(r) + jitter.ns();
            worst = Some(Worst {
                completion: Time::from_ns(completion),
                response: Time::from_ns(response),
            });
            if response > deadline.ns() {
                return worst;
            }
        }
        r = if r == 0 { 1 } else { next.max(r + 1) };
        if r >= end {
            return worst;
        }
        if r > Time::LIMIT.ns() {
            return None;
        }
    }
    None
}
