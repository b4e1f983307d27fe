//! Preemption at the boundaries of thread blocks ([Sanudo20] §III-B). Safe, not exact.
//!
//! * An urgent kernel waits for at most one block of a less urgent one: B = max {bₖ − 1} of lower priority.
//! * Splitting a kernel costs it up to one more wave of blocks. Whoever preempts starts once, so each job of higher
//!   priority is charged γᵢ = max {bₖ : k not below i, bₖ < Cₖ} once. What it costs kernels below i does not count.
//! * That the last block of a job cannot be preempted is not made use of.
//!
//! B and γ depend on which tasks are above and below, not on their order: Audsley's algorithm stays optimal.

use super::level::{Level, Task};
use super::recurrence::{Fixpoint, Recurrence, Work};

/// Kernels make way after the thread block that runs.
pub(super) struct Limited;

impl Recurrence for Limited {
    const FINISH_ENDS: bool = true;

    fn blocking(level: &Level<'_>) -> u64 {
        let holds = level.lower.iter().map(|task| task.block.saturating_sub(1));
        holds.max().unwrap_or(0)
    }

    fn waste(level: &Level<'_>) -> u64 {
        let split = |task: &&Task| task.block < task.wcet;
        let above = level.higher.iter().chain([level.task]);
        above.filter(split).map(|task| task.block).max().unwrap_or(0)
    }

    fn finish(work: &Work<'_>, job: u64, from: u64, limit: u64, steps: &mut u64) -> Fixpoint {
        work.clear(job, from, limit, steps)
    }
}
