//! EDF with preemption at thread-block boundaries ([Sanudo20] §III-B). The test is sufficient.
//!
//! * A job with an earlier deadline waits for at most one block of the running kernel. With bₖ, the block time of
//!   kernel k, the condition is dbf(t) + max {bₖ − 1 : Dₖ > t} ≤ t.
//! * A preempted kernel k may need one more wave of blocks. This wave takes bₖ. A job preempts only when it starts, so
//!   each job causes at most one extra wave. The test increases Cₕ by the maximum of bₖ over the kernels k that kernel
//!   h can preempt.
//!
//! A job of h can preempt a job of k only if the job of k was released earlier and has a later deadline. In the worst
//! case, the job of k has no release delay, and the job of h has the largest release delay Jₕ. So h can preempt k if
//! Dₖ > Dₕ − Jₕ.

use std::cell::Cell;

use super::blocking::Blocking;
use super::criterion::{Answer, decide, passes, without_jitter};
use super::lines;
use crate::schedulability::{Demand, scratch};
use gpusched_model::time::Time;
use gpusched_model::verdict::Evidence;

/// Tests whether all jobs meet their deadlines under EDF with preemption at thread-block
/// boundaries.
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
    let fails = |tasks: &[Demand]| {
        lines::fails_at_first_deadline(tasks, &Blocking::new(tasks, Demand::block_blocking))
    };
    // A set that fails without the time for preemptions also fails with this time.
    if without_jitter(demands, fails).unwrap_or(true) {
        return false;
    }
    with_charges(demands, |tasks| {
        passes(tasks, Blocking::new(tasks, Demand::block_blocking))
    })
    .unwrap_or(false)
}

thread_local! {
    static CHARGED: Cell<Vec<Demand>> = const { Cell::new(Vec::new()) };
}

fn answer(demands: &[Demand], visit: impl FnMut(u64, u64)) -> Answer {
    with_charges(demands, |tasks| {
        decide(tasks, Blocking::new(tasks, Demand::block_blocking), visit)
    })
    .unwrap_or_else(Answer::Jitter)
}

/// Calls `work` with tasks that have no jitter. Their WCETs include the time for preemptions. If a task has J ≥ D, the
/// function returns the position of the first such task instead.
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

/// Returns the longest extra wave that a preemption by the task at `position` can cause to
/// another kernel [ns].
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
