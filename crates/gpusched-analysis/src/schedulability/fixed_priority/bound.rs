//! Bounds for preemptive fixed priorities. For most tasks, they prove without response times that the deadlines are met.
//!
//! Let t = min(Dᵢ, Tᵢ) − Jᵢ. If the first job of task i in the longest busy period ends by t, it meets its deadline. The busy
//! period then ends before the second job is released. Each of these two conditions is sufficient:
//! * The work that is released before t takes at most t.
//! * (Cᵢ + Σ (Uⱼ·Jⱼ + Cⱼ·(1 − Uⱼ))) / (1 − Σ Uⱼ) ≤ t (Bini & Baruah, RTNS 2007). Let w be the end of the first job. All jobs of j
//!   that are released before w end before w. The last of them, the (k+1)-th, arrived at k·Tⱼ − Jⱼ at the earliest and took Cⱼ of
//!   the time from then to w. So the jobs of j took (k+1)·Cⱼ ≤ Uⱼ·(w + Jⱼ) + Cⱼ·(1 − Uⱼ) of w. Take the sum over j and solve it for
//!   w to get the condition.

use super::level::{self, Level, Task};
use super::preemptive::Preemptive;
use super::worst_case::{Stop, WorstCase, worst_case};
use crate::schedulability::share;
use gpusched_model::time::Time;

/// Returns whether `tasks` meet all deadlines. `tasks` are sorted by priority, highest first, and U ≤ 1.
pub(super) fn passes(tasks: &[Task]) -> bool {
    let mut above = Some(Work::default());
    (0..tasks.len()).all(|rank| {
        let level = level::at(tasks, rank);
        let with = above.and_then(|work| work.with(level.task));
        let known = with.is_some()
            && (above.is_some_and(|work| work.leaves_room_for(level.task)) || done_in_time(&level));
        above = with;
        known
            || matches!(
                worst_case::<Preemptive>(&level, Stop::Early),
                WorstCase::Response(_)
            )
    })
}

/// Bounds on the work of tasks with higher priority.
#[derive(Copy, Clone, Default)]
struct Work {
    /// Σ Uⱼ, rounded up [units of 2⁻³²].
    utilization: u64,
    /// Σ (Uⱼ·Jⱼ + Cⱼ·(1 − Uⱼ)), rounded up [ns].
    carried: u64,
}

impl Work {
    /// Adds `task`. Returns `None` if a sum is out of range, or if U is close to 1.
    fn with(self, task: &Task) -> Option<Work> {
        let share = share::above(Time::from_ns(task.wcet), Time::from_ns(task.period))?;
        let rest = share::ONE - share.saturating_sub(share::EXCESS).min(share::ONE);
        let carried = share::of(share, task.jitter)?.checked_add(share::of(rest, task.wcet)?)?;
        let utilization = self.utilization + share;
        let carried = self.carried.checked_add(carried)?;
        (utilization <= share::NEXT_TO_ONE).then_some(Work { utilization, carried })
    }

    /// Returns whether the first job of `task`, the next task in the order of priority, ends by min(D, T) − J. Then the busy period
    /// ends.
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

/// Returns whether all work that is released before min(D, T) − J ends by then. Returns `false` if a value exceeds 64 bits.
fn done_in_time(level: &Level<'_>) -> bool {
    let Some(end) = end(level.task) else { return false };
    let work = level.higher.iter().try_fold(level.task.wcet, |work, higher| {
        let jobs = end.checked_add(higher.jitter)?.div_ceil(higher.period);
        work.checked_add(jobs.checked_mul(higher.wcet)?)
    });
    work.is_some_and(|work| work <= end)
}
