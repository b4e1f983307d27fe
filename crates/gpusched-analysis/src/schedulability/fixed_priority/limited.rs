//! Fixed priorities with preemption at thread-block boundaries ([Sanudo20] §III-B). The test is
//! sufficient.
//!
//! * A kernel waits for at most one thread block of a kernel with lower priority. So the blocking
//!   B is the maximum of bₖ − 1 over the kernels k with lower priority, where bₖ is the block
//!   time.
//! * A preempted kernel k may need one more wave of thread blocks. This wave takes bₖ. A job preempts only when it
//!   starts. So each job with higher priority than i causes at most one extra wave, and each extra wave takes at most
//!   γᵢ. γᵢ is the maximum of bₖ over kernel i and the kernels with higher priority that have a preemption point. Extra
//!   waves of kernels with lower priority than i do not delay i.
//! * The test ignores that the last block of a job cannot be preempted, which is pessimistic.
//!
//! B and γ depend on which tasks have higher or lower priority, but not on the order among these tasks. So Audsley's
//! algorithm stays optimal.

use super::level::Level;
use super::recurrence::{Fixpoint, Recurrence, Work};

/// Limited preemption: a job preempts a kernel as soon as the running thread blocks of the kernel
/// end.
pub(super) struct Limited;

impl Recurrence for Limited {
    const CONTINUES: bool = false;
    const FINISH_ENDS: bool = true;

    fn blocking(level: &Level<'_>) -> u64 {
        let holds = level.lower.iter().map(|task| task.blocking[1]);
        holds.max().unwrap_or(0)
    }

    fn waste(level: &Level<'_>) -> u64 {
        let above = level.higher.iter().chain([level.task]);
        above.map(|task| task.wave).max().unwrap_or(0)
    }

    fn finish(work: &Work<'_>, job: u64, from: u64, limit: u64, steps: &mut u64) -> Fixpoint {
        work.clear(job, from, limit, steps)
    }
}
