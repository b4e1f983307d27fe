//! Fixed priorities without preemption (Davis, Burns, Bril & Lukkien, Real-Time Systems 35,
//! 2007). The test is exact.
//!
//! Job q of task i, counted from 0, starts at the least w with
//! w = B + q·Cᵢ + Σ (⌊(w + Jⱼ)/Tⱼ⌋ + 1)·Cⱼ. The sum is over the tasks j with higher priority. The
//! job then runs to its end, so Rᵢ = max (w + Cᵢ − q·Tᵢ + Jᵢ).
//!
//! The blocking B is the maximum of Cₖ − 1 over the tasks k with lower priority, because a blocking kernel started at
//! least 1 ns earlier. If jobs may start between two nanoseconds ([`Demand::lead`](crate::schedulability::Demand::lead)),
//! B is the maximum of Cₖ. A later job may have the longest response time, even if D ≤ T. The reason is that a job of i
//! delays work with higher priority, and this work delays the next job of i.

use super::level::Level;
use super::recurrence::{Fixpoint, Recurrence, Work, least_fixpoint};

/// No preemption: a kernel that has started always runs to its end.
pub(super) struct NonPreemptive;

impl Recurrence for NonPreemptive {
    const CONTINUES: bool = false;
    const FINISH_ENDS: bool = false;

    fn blocking(level: &Level<'_>) -> u64 {
        let holds = level.lower.iter().map(|task| task.blocking[0]);
        holds.max().unwrap_or(0)
    }

    fn waste(_: &Level<'_>) -> u64 {
        0
    }

    fn finish(work: &Work<'_>, job: u64, from: u64, limit: u64, steps: &mut u64) -> Fixpoint {
        let wcet = work.task.wcet;
        let before = work.own(job);
        let start_from = from.saturating_sub(wcet).max(before);
        let start = least_fixpoint(start_from, limit.saturating_sub(wcet), steps, |w| {
            work.higher.iter().fold(before, |total, task| {
                let jobs = (w.saturating_add(task.jitter) / task.period).saturating_add(1);
                total.saturating_add(jobs.saturating_mul(task.wcet))
            })
        });
        match start {
            Fixpoint::At(start) if start.saturating_add(wcet) <= limit => Fixpoint::At(start + wcet),
            Fixpoint::At(start) | Fixpoint::Beyond(start) => Fixpoint::Beyond(start.saturating_add(wcet)),
            Fixpoint::TooLong => Fixpoint::TooLong,
        }
    }
}
