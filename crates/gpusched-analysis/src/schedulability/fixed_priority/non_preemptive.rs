//! No preemption: job q starts at w = B + q·Cᵢ + Σ (⌊(w + Jⱼ)/Tⱼ⌋ + 1)·Cⱼ, then runs to its end, and
//! Rᵢ = max (w + Cᵢ − q·Tᵢ + Jᵢ) (Davis, Burns, Bril & Lukkien, Real-Time Systems 35, 2007). Exact.
//!
//! B = max {Cₖ − 1} over lower priorities, because such a kernel started at least 1 ns before. Even with D ≤ T a later job may be
//! the worst: a job of i defers higher-priority work, which then precedes the next job of i.

use super::level::Level;
use super::recurrence::{Fixpoint, Recurrence, Work, least_fixpoint};

/// A started kernel is never preempted.
pub(super) struct NonPreemptive;

impl Recurrence for NonPreemptive {
    const FINISH_ENDS: bool = false;

    fn blocking(level: &Level<'_>) -> u64 {
        let holds = level.lower.iter().map(|task| task.wcet.saturating_sub(1));
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
