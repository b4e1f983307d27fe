//! EDF with preemption at thread-block boundaries ([Sanudo20] §III-B). The test is sufficient, not exact.
//!
//! * A job with an earlier deadline waits for at most one block of the running kernel: dbf(t) + max {bₖ − 1 : Dₖ > t} ≤ t.
//! * A preempted kernel may need one more wave of blocks, which takes the time bₖ. A job preempts only when it starts, so it causes this
//!   time once: Cₕ becomes Cₕ + max {bₖ} over the kernels that h can preempt.
//!
//! Job h can preempt a job of k only if the job of k was released before h and has a later deadline. In the worst case, the job of
//! k has no jitter, and h has its full jitter. So the condition on k is Dₖ > Dₕ − Jₕ, and not Dₖ − Jₖ > Dₕ − Jₕ.

use std::cell::Cell;

use super::blocking::Blocking;
use super::criterion::{Answer, decide, passes, without_jitter};
use super::lines;
use crate::schedulability::{Demand, scratch};
use gpusched_model::time::Time;
use gpusched_model::verdict::Evidence;

/// Tests whether all deadlines are met under EDF with preemption at thread-block boundaries.
pub fn test(demands: &[Demand]) -> Evidence {
    let mut checked = Vec::new();
    answer(demands, |t, demand| {
        checked.push((Time::from_ns(t), Time::from_ns(demand)));
    })
    .evidence(checked)
}

/// Returns whether [`test`] finds that all deadlines are met. Creates no evidence.
pub fn accepts(demands: &[Demand]) -> bool {
    let fails = |tasks: &[Demand]| lines::fails_at_first_deadline(tasks, &Blocking::new(tasks, hold));
    // The added preemption times only increase the demand.
    if without_jitter(demands, fails).unwrap_or(true) {
        return false;
    }
    with_charges(demands, |tasks| passes(tasks, Blocking::new(tasks, hold))).unwrap_or(false)
}

thread_local! {
    static CHARGED: Cell<Vec<Demand>> = const { Cell::new(Vec::new()) };
}

fn answer(demands: &[Demand], visit: impl FnMut(u64, u64)) -> Answer {
    with_charges(demands, |tasks| decide(tasks, Blocking::new(tasks, hold), visit))
        .unwrap_or_else(Answer::Jitter)
}

fn hold(task: &Demand) -> u64 {
    task.block.ns().saturating_sub(1)
}

/// Calls `work` on the tasks with the added preemption times and without jitter. If a task has J ≥ D, returns the position of the
/// first such task instead.
fn with_charges<R>(demands: &[Demand], work: impl FnOnce(&[Demand]) -> R) -> Result<R, usize> {
    if demands.iter().all(|demand| demand.block >= demand.wcet) {
        return without_jitter(demands, work); // no kernel has a preemption point
    }
    let charged = demands.iter().enumerate().map(|(position, demand)| Demand {
        wcet: Time::from_ns(demand.wcet.ns().saturating_add(charge(demands, position))),
        ..*demand
    });
    scratch::with(&CHARGED, charged, |charged| without_jitter(charged, work))
}

/// Returns the longest extra wave of another kernel that a preemption by the task at `position` can cause [ns].
fn charge(demands: &[Demand], position: usize) -> u64 {
    let preempting = &demands[position];
    let due = preempting.deadline.ns().saturating_sub(preempting.jitter.ns());
    let others = demands.iter().enumerate().filter(|&(other, _)| other != position);
    others
        .map(|(_, other)| other)
        .filter(|other| other.deadline.ns() > due && other.block < other.wcet)
        .map(|other| other.block.ns())
        .max()
        .unwrap_or(0)
}
