//! Preemption at thread-block boundaries ([Sanudo20] §III-B). The test is sufficient, not exact.
//!
//! * A kernel waits for at most one block of a kernel with lower priority: B = max {bₖ − 1} over lower priorities.
//! * A preempted kernel may need one more wave of blocks. A job preempts only when it starts, so each job with higher priority
//!   causes the extra time γᵢ = max {bₖ : k not below i, bₖ < Cₖ} once. The extra time of kernels below i does not count.
//! * The test does not use the fact that the last block of a job cannot be preempted.
//!
//! B and γ depend on the sets of tasks with higher and with lower priority, but not on the order within the sets. So Audsley's
//! algorithm stays optimal.

use super::level::{Level, Task};
use super::recurrence::{Fixpoint, Recurrence, Work};

/// Preemption as soon as the running thread blocks end.
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
