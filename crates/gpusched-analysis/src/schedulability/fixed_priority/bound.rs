//! Bounds for preemptive fixed priorities. For most tasks, a bound already proves that the task meets its deadlines, so
//! the test computes no response time.
//!
//! Let t = min(Dᵢ, Tᵢ) − Jᵢ. If the first job of task i in the longest busy period ends by t, this job meets its
//! deadline. In this case, the busy period ends before the second job is released. Each of the following two conditions
//! implies that the first job ends by t:
//! * All work that is released before t takes at most t to execute.
//! * (Cᵢ + Σ (Uⱼ·Jⱼ + Cⱼ·(1 − Uⱼ))) / (1 − Σ Uⱼ) ≤ t, where the sums are over all tasks j with higher priority (Bini &
//!   Baruah, RTNS 2007). Let w be the end of the first job of task i. All jobs of task j that are released before w end
//!   before w. The last of these jobs is job k + 1. This job arrived at k·Tⱼ − Jⱼ or later, and it executed for Cⱼ
//!   between its arrival and w. So the jobs of task j executed for (k + 1)·Cⱼ ≤ Uⱼ·(w + Jⱼ) + Cⱼ·(1 − Uⱼ) until w. The
//!   sum over all j, solved for w, is the condition.

use super::level::{self, Level, Task};
use super::preemptive::Preemptive;
use super::worst_case::{Stop, WorstCase, worst_case};
use crate::schedulability::share;
use gpusched_model::time::Time;

/// Returns whether all `tasks` meet their deadlines. `tasks` are sorted by priority, highest
/// first, and U ≤ 1.
pub(super) fn passes(tasks: &[Task]) -> bool {
    let mut above = Some(Work::default());
    let passes = level::for_each(tasks, |level| {
        let with = above.and_then(|work| work.with(level.task));
        let known = with.is_some()
            && (above.is_some_and(|work| work.leaves_room_for(level.task)) || done_in_time(level));
        above = with;
        let passes = known
            || matches!(
                worst_case::<Preemptive>(level, Stop::Early),
                WorstCase::Response(_)
            );
        passes.then_some(()).ok_or(())
    });
    passes.is_ok()
}

/// Upper bounds on the work of the tasks with higher priority.
#[derive(Copy, Clone, Default)]
struct Work {
    /// Σ Uⱼ: total utilization, rounded up [units of 2⁻³²].
    utilization: u64,
    /// Σ (Uⱼ·Jⱼ + Cⱼ·(1 − Uⱼ)), rounded up [ns].
    carried: u64,
}

impl Work {
    /// Adds `task` to the sums. Returns `None` if a sum is out of range, or if the total
    /// utilization is close to 1.
    fn with(self, task: &Task) -> Option<Work> {
        let share = share::above(Time::from_ns(task.wcet), Time::from_ns(task.period))?;
        let rest = share::ONE - share.saturating_sub(share::EXCESS).min(share::ONE);
        let carried = share::of(share, task.jitter)?.checked_add(share::of(rest, task.wcet)?)?;
        let utilization = self.utilization + share;
        let carried = self.carried.checked_add(carried)?;
        (utilization <= share::NEXT_TO_ONE).then_some(Work { utilization, carried })
    }

    /// Returns whether the first job of `task` ends by min(D, T) − J, and the busy period ends with this job. `task`
    /// has the next lower priority.
    fn leaves_room_for(self, task: &Task) -> bool {
        let Some(end) = end(task) else { return false };
        let work = u128::from(task.wcet) + u128::from(self.carried);
        work << 32 <= u128::from(share::ONE - self.utilization) * u128::from(end)
    }
}

/// Returns min(D, T) − J of `task`.
fn end(task: &Task) -> Option<u64> {
    task.deadline.min(task.period).checked_sub(task.jitter)
}

/// Returns whether all work that is released before min(D, T) − J ends by this time. Returns
/// `false` if a value exceeds 64 bits.
fn done_in_time(level: &Level<'_>) -> bool {
    let Some(end) = end(level.task) else { return false };
    let work = level.higher.iter().try_fold(level.task.wcet, |work, higher| {
        let jobs = end.checked_add(higher.jitter)?.div_ceil(higher.period);
        work.checked_add(jobs.checked_mul(higher.wcet)?)
    });
    work.is_some_and(|work| work <= end)
}
