//! Fixed priorities on one partition: response-time analysis of every job in the longest busy
//! period of each priority level.
//!
//! * [`preemptive`](Preemption::Preemptive): exact (Joseph & Pandya 1986; Lehoczky, RTSS 1990;
//!   with jitter: Tindell, Burns & Wellings 1994);
//! * [`non-preemptive`](Preemption::NonPreemptive): exact (Davis, Burns, Bril & Lukkien,
//!   Real-Time Systems 35, 2007);
//! * [`limited`](Preemption::Limited): preemption at thread-block boundaries; sufficient.
//! * [`concurrent`]: every task at the lowest priority, for kernels that run together.
//!
//! Deadlines are arbitrary. A later job of the busy period can have a longer response time than the first job, if D > T
//! or if there is no preemption.

mod audsley;
mod bound;
pub mod concurrent;
mod first_job;
mod level;
mod limited;
mod non_preemptive;
mod preemptive;
mod priorities;
mod recurrence;
mod worst_case;

use std::cell::Cell;
use std::cmp::Ordering;

use super::{Demand, scratch};
use first_job::FirstJobs;
use gpusched_model::policy::{Preemption, Priorities};
use gpusched_model::time::Time;
use gpusched_model::utilization::compare_total;
use gpusched_model::verdict::Evidence;
use level::Task;
use limited::Limited;
use non_preemptive::NonPreemptive;
use preemptive::Preemptive;
use recurrence::Recurrence;
pub use worst_case::STEP_LIMIT;
use worst_case::{Stop, WorstCase, worst_case, worst_case_within};

/// Tests whether all jobs meet their deadlines under `preemption` and `priorities`.
pub fn test(preemption: Preemption, priorities: Priorities, demands: &[Demand]) -> Evidence {
    ranked(priorities, demands, |tasks| match preemption {
        Preemption::Preemptive => evidence::<Preemptive>(priorities, demands, tasks),
        Preemption::NonPreemptive => evidence::<NonPreemptive>(priorities, demands, tasks),
        Preemption::Limited => evidence::<Limited>(priorities, demands, tasks),
    })
}

thread_local! {
    static RANKED: Cell<Vec<Task>> = const { Cell::new(Vec::new()) };
}

/// Returns whether [`test`] finds that all jobs meet their deadlines. The function creates no
/// evidence.
pub fn accepts(preemption: Preemption, priorities: Priorities, demands: &[Demand]) -> bool {
    if overload(demands) {
        return false;
    }
    ranked(priorities, demands, |tasks| match preemption {
        // The tasks are in deadline-monotonic order or in the given order. If all deadlines are met in this order,
        // Audsley's algorithm also finds an order that meets all deadlines.
        Preemption::Preemptive => {
            bound::passes(tasks)
                || priorities == Priorities::Audsley && passes::<Preemptive>(priorities, tasks)
        }
        Preemption::NonPreemptive => passes::<NonPreemptive>(priorities, tasks),
        Preemption::Limited => passes::<Limited>(priorities, tasks),
    })
}

/// Returns the upper bound [ns] that the test computes on the response time of each task. The bound may exceed the
/// deadline.
///
/// The bound of a task is `None` if its response time is unbounded, or if the analysis reaches
/// [`STEP_LIMIT`]. If Audsley's algorithm finds no priority order, all bounds are `None`.
pub fn response_times(
    preemption: Preemption,
    priorities: Priorities,
    demands: &[Demand],
) -> Vec<Option<Time>> {
    ranked(priorities, demands, |tasks| match preemption {
        Preemption::Preemptive => bounds::<Preemptive>(priorities, tasks),
        Preemption::NonPreemptive => bounds::<NonPreemptive>(priorities, tasks),
        Preemption::Limited => bounds::<Limited>(priorities, tasks),
    })
}

/// Returns whether U > 1. In an overloaded partition, the backlog of the task with the lowest
/// priority grows without limit.
fn overload(demands: &[Demand]) -> bool {
    let terms = demands
        .iter()
        .map(|demand| (demand.wcet.ns().into(), demand.period.ns()));
    compare_total(terms, 1) == Ordering::Greater
}

/// Calls `work` on the tasks, sorted by priority, highest first.
fn ranked<R>(priorities: Priorities, demands: &[Demand], work: impl FnOnce(&mut [Task]) -> R) -> R {
    scratch::with(&RANKED, level::tasks(demands), |tasks| {
        priorities::rank(priorities, tasks);
        work(tasks)
    })
}

fn passes<R: Recurrence>(priorities: Priorities, tasks: &mut [Task]) -> bool {
    if priorities == Priorities::Audsley {
        return audsley::assign::<R>(tasks).is_ok();
    }
    let passes = level::for_each(tasks, |level| match worst_case::<R>(level, Stop::Early) {
        WorstCase::Response(_) => Ok(()),
        _ => Err(()),
    });
    passes.is_ok()
}

fn evidence<R: Recurrence>(priorities: Priorities, demands: &[Demand], tasks: &mut [Task]) -> Evidence {
    // If `FirstJobs` finds an end w for each level, U ≤ 1: all work that is released before w takes w, so U·w ≤ w at the lowest level.
    let mut open = priorities == Priorities::Audsley || !R::CONTINUES;
    if open && overload(demands) {
        return Evidence::UtilizationAboveOne;
    }
    if priorities == Priorities::Audsley
        && let Err(failure) = audsley::assign::<R>(tasks)
    {
        return failure;
    }
    let mut response_times_ns = vec![Time::ZERO; tasks.len()];
    // A task may miss its deadline although the test is inconclusive for a task with higher priority. All tasks after the
    // first inconclusive task share the steps of one task.
    let (mut undecided, mut left) = (false, STEP_LIMIT);
    let mut first = R::CONTINUES.then(|| FirstJobs::new(tasks.len()));
    let failed = level::for_each(tasks, |level| {
        let task = level.task.position;
        let only = only_job(&mut first, level);
        if only.is_none() && !open {
            if overload(demands) {
                return Err(Evidence::UtilizationAboveOne);
            }
            open = true;
        }
        let worst = match (only, undecided) {
            (Some(time), _) => WorstCase::Response(time),
            (None, false) => worst_case::<R>(level, Stop::Miss),
            (None, true) => worst_case_within::<R>(level, Stop::Miss, &mut left),
        };
        match worst {
            WorstCase::Response(time) => response_times_ns[task] = Time::from_ns(time),
            WorstCase::Late {
                busy_period,
                response,
            } => {
                return Err(Evidence::DeadlineMissed {
                    task,
                    busy_period_ns: Time::from_ns(busy_period),
                    response_time_ns: Time::from_ns(response),
                });
            }
            WorstCase::TooLong => undecided = true,
        }
        Ok(())
    });
    if let Err(failure) = failed {
        return failure;
    }
    if undecided {
        return Evidence::Undecided { steps: STEP_LIMIT };
    }
    Evidence::ResponseTimes {
        priorities: tasks.iter().map(|task| task.position).collect(),
        response_times_ns,
    }
}

fn bounds<R: Recurrence>(priorities: Priorities, tasks: &mut [Task]) -> Vec<Option<Time>> {
    let mut times = vec![None; tasks.len()];
    if priorities == Priorities::Audsley && audsley::assign::<R>(tasks).is_err() {
        return times;
    }
    let last = tasks.len().checked_sub(1).map(|rank| level::at(tasks, rank));
    // If the lowest level is not overloaded, no level is.
    let may_be_overloaded = last.is_some_and(|level| level.overloaded(R::waste(&level)));
    let mut first = R::CONTINUES.then(|| FirstJobs::new(tasks.len()));
    // All levels below an overloaded level are overloaded, too, and have no bound.
    let _ = level::for_each(tasks, |level| {
        if may_be_overloaded && level.overloaded(R::waste(level)) {
            return Err(());
        }
        let worst = match only_job(&mut first, level) {
            Some(time) => WorstCase::Response(time),
            None => worst_case::<R>(level, Stop::Never),
        };
        if let WorstCase::Response(time) = worst {
            times[level.task.position] = Some(Time::from_ns(time));
        }
        Ok(())
    });
    times
}

/// Returns the response time of the only job of `level` in its longest busy period, if `first` finds that the job meets its deadline [ns].
fn only_job(first: &mut Option<FirstJobs>, level: &level::Level<'_>) -> Option<u64> {
    first.as_mut()?.next(level)?.checked_add(level.task.jitter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// [`evidence`] computes the utilization only if it finds no end of a first job. The evidence is [`Evidence::UtilizationAboveOne`]
    /// exactly if U > 1, also near U = 1 and for periods of 0 and 1.
    #[test]
    fn only_an_overload_has_the_evidence_of_an_overload() {
        let rng = &mut ChaCha8Rng::seed_from_u64(29);
        let mut seen = [0; 3];
        for round in 0..20_000 {
            let count = [1, 2, 3, 8, 70][round % 5];
            let equal = rng.random_range(1..200);
            let demands: Vec<Demand> = (0..count)
                .map(|_| {
                    let period = [equal, 2 * equal, rng.random_range(0..3), rng.random_range(1..200)];
                    let period = period[rng.random_range(0..if round % 3 == 0 { 4 } else { 2 })];
                    let wcet = rng
                        .random_range(0..=(period / count).max(1) + 1)
                        .min(period.max(1));
                    let deadline = rng.random_range(period / 2..=2 * period + 1);
                    let times = [wcet, period, deadline].map(Time::from_ns);
                    let jitter = [0, rng.random_range(0..=period)][usize::from(rng.random_ratio(1, 8))];
                    Demand::new(times[0], times[1], times[2]).with_jitter(Time::from_ns(jitter))
                })
                .collect();
            let evidence = test(Preemption::Preemptive, Priorities::DeadlineMonotonic, &demands);
            let overload = overload(&demands);
            assert_eq!(evidence == Evidence::UtilizationAboveOne, overload, "{demands:?}");
            seen[if overload {
                0
            } else {
                1 + usize::from(evidence.is_positive())
            }] += 1;
        }
        assert!(seen.iter().all(|&seen| seen > 500), "{seen:?}");
    }
}
