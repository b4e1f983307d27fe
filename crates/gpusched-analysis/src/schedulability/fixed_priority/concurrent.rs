//! Kernels that run together, each task in its own stream. The test is exact for every division of the SMs among kernels.
//!
//! While a job is pending, the kernels together complete their work at a rate of at least 1. The GPU may give this rate to
//! any stream at any time. So the longest response time of task i is its response time at the lowest priority: the GPU
//! executes a job of i only while no other task has a pending job. `docs/explanation/concurrent.md` contains the proof.
//!
//! Let L be the least w > 0 with w = Σ ⌈(w + Jⱼ)/Tⱼ⌉·Cⱼ over all tasks, the longest busy period. If L ≤ Tᵢ − Jᵢ, only one job of
//! task i is in the busy period, and it ends at L. So Rᵢ = L + Jᵢ, and one fixed point serves all such tasks.

use super::level::{self, Task};
use super::preemptive::Preemptive;
use super::recurrence::{Fixpoint, least_fixpoint};
use super::worst_case::{STEP_LIMIT, Stop, WorstCase, worst_case_within};
use super::{RANKED, overload};
use crate::schedulability::{Demand, scratch};
use gpusched_model::time::Time;
use gpusched_model::verdict::Evidence;

/// Tests whether all jobs meet their deadlines for every division of the SMs.
pub fn test(demands: &[Demand]) -> Evidence {
    if overload(demands) {
        return Evidence::UtilizationAboveOne;
    }
    let mut tasks: Vec<Task> = level::tasks(demands).collect();
    let common = common(&tasks);
    let mut response_times_ns = Vec::with_capacity(demands.len());
    // A task may miss its deadline although the test is inconclusive for an earlier task. All tasks after the first
    // inconclusive task share the steps of one task.
    let (mut undecided, mut left) = (false, STEP_LIMIT);
    for task in 0..demands.len() {
        let mut steps = STEP_LIMIT;
        let steps = if undecided { &mut left } else { &mut steps };
        match last(&mut tasks, task, common, Stop::Miss, steps) {
            WorstCase::Response(time) => response_times_ns.push(Time::from_ns(time)),
            WorstCase::Late {
                busy_period,
                response,
            } => {
                return Evidence::DeadlineMissed {
                    task,
                    busy_period_ns: Time::from_ns(busy_period),
                    response_time_ns: Time::from_ns(response),
                };
            }
            WorstCase::TooLong => undecided = true,
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
    if overload(demands) {
        return false;
    }
    scratch::with(&RANKED, level::tasks(demands), |tasks| {
        // The first job of a task ends after one job of each task.
        let all = tasks.iter().fold(0u64, |sum, task| sum.saturating_add(task.wcet));
        let late = |task: &Task| task.wcet > 0 && i128::from(all) > task.urgency();
        if tasks.iter().any(late) {
            return false;
        }
        let common = common(tasks);
        (0..tasks.len()).all(|task| {
            let mut steps = STEP_LIMIT;
            let worst = last(tasks, task, common, Stop::Early, &mut steps);
            matches!(worst, WorstCase::Response(_))
        })
    })
}

/// Returns the longest response time of each task [ns]. The response time may exceed the deadline. It is `None` if it is
/// unbounded, or if the analysis reaches [`STEP_LIMIT`].
pub fn response_times(demands: &[Demand]) -> Vec<Option<Time>> {
    if overload(demands) {
        return vec![None; demands.len()];
    }
    let mut tasks: Vec<Task> = level::tasks(demands).collect();
    let common = common(&tasks);
    let mut bound = |task| {
        let mut steps = STEP_LIMIT;
        match last(&mut tasks, task, common, Stop::Never, &mut steps) {
            WorstCase::Response(time) => Some(Time::from_ns(time)),
            _ => None,
        }
    };
    (0..demands.len()).map(&mut bound).collect()
}

/// Returns L, the length of the longest busy period [ns], if L ≤ T − J for some task.
fn common(tasks: &[Task]) -> Option<u64> {
    let room = tasks.iter().map(|task| task.period.saturating_sub(task.jitter));
    let busy = |w: u64| {
        tasks.iter().fold(0u64, |total, task| {
            let jobs = w.saturating_add(task.jitter).div_ceil(task.period);
            total.saturating_add(jobs.saturating_mul(task.wcet))
        })
    };
    let mut steps = STEP_LIMIT;
    match least_fixpoint(1, room.max()?, &mut steps, busy) {
        Fixpoint::At(length) => Some(length),
        Fixpoint::Beyond(_) | Fixpoint::TooLong => None,
    }
}

/// Returns the worst case of the task at position `task` at the lowest priority. `common` is the result of [`common`].
fn last(tasks: &mut [Task], task: usize, common: Option<u64>, stop: Stop, steps: &mut u64) -> WorstCase {
    let Task {
        wcet,
        period,
        deadline,
        jitter,
        ..
    } = tasks[task];
    if let Some(length) = common.filter(|&length| wcet > 0 && length.saturating_add(jitter) <= period) {
        let response = length + jitter;
        return match response > deadline && stop != Stop::Never {
            true => WorstCase::Late {
                busy_period: length,
                response,
            },
            false => WorstCase::Response(response),
        };
    }
    let rank = tasks.len() - 1;
    tasks.swap(task, rank);
    let worst = worst_case_within::<Preemptive>(&level::at(tasks, rank), stop, steps);
    tasks.swap(task, rank);
    worst
}
