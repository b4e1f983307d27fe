//! Fixed priorities with immediate preemption (Lehoczky, RTSS 1990). The test is exact.
//!
//! Job q of task i, counted from 0, ends at the least w with w = (q + 1)·Cᵢ + Σ ⌈(w + Jⱼ)/Tⱼ⌉·Cⱼ.
//! The sum is over the tasks j with higher priority. So Rᵢ = max (w − q·Tᵢ + Jᵢ).

use super::level::Level;
use super::recurrence::{Fixpoint, Recurrence, Work};

/// Immediate preemption: tasks with lower priority cause no blocking.
pub(super) struct Preemptive;

impl Recurrence for Preemptive {
    const CONTINUES: bool = true;
    const FINISH_ENDS: bool = true;

    fn blocking(_: &Level<'_>) -> u64 {
        0
    }

    fn waste(_: &Level<'_>) -> u64 {
        0
    }

    fn finish(work: &Work<'_>, job: u64, from: u64, limit: u64, steps: &mut u64) -> Fixpoint {
        work.clear(job, from, limit, steps)
    }
}
