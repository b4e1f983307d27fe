//! Preemptive fixed priorities without computing response times: what proves most tasks to be in time.
//!
//! If the first job of task i in the longest busy period is done by t = min(Dᵢ, Tᵢ) − Jᵢ, it is in time, and the busy
//! period is over before the second one is released. That is so
//! * if what is released before t takes no longer than t;
//! * or if (Cᵢ + Σ (Uⱼ·Jⱼ + Cⱼ·(1 − Uⱼ))) / (1 − Σ Uⱼ) ≤ t (Bini & Baruah, RTNS 2007). When the first job is done after
//!   w, so are all jobs of j released before; the last of them, say the (k+1)-th, arrived at k·Tⱼ − Jⱼ at the earliest
//!   and took Cⱼ of what was left. So they took (k+1)·Cⱼ ≤ Uⱼ·(w + Jⱼ) + Cⱼ·(1 − Uⱼ) of w; sum up and solve for w.

use super::level::{self, Level, Task};
use super::preemptive::Preemptive;
use super::worst_case::{Stop, WorstCase, worst_case};
use crate::schedulability::share;
use gpusched_model::time::Time;

/// Whether all deadlines are met by `tasks`, highest priority first, with U ≤ 1.
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

/// Bounds on the work of the tasks of higher priority.
#[derive(Copy, Clone, Default)]
struct Work {
    /// Σ Uⱼ, rounded up [2⁻³²].
    utilization: u64,
    /// Σ (Uⱼ·Jⱼ + Cⱼ·(1 − Uⱼ)), rounded up [ns].
    carried: u64,
}

impl Work {
    /// With `task`; `None` if the sums leave their range, or U is next to 1.
    fn with(self, task: &Task) -> Option<Work> {
        let share = share::above(Time::from_ns(task.wcet), Time::from_ns(task.period))?;
        let rest = share::ONE - share.saturating_sub(share::EXCESS).min(share::ONE);
        let carried = share::of(share, task.jitter)?.checked_add(share::of(rest, task.wcet)?)?;
        let utilization = self.utilization + share;
        let carried = self.carried.checked_add(carried)?;
        (utilization <= share::NEXT_TO_ONE).then_some(Work { utilization, carried })
    }

    /// Whether the first job of `task`, next in priority, is done by min(D, T) − J, and thus ends the busy period.
    fn leaves_room_for(self, task: &Task) -> bool {
        let Some(end) = end(task) else { return false };
        let work = u128::from(task.wcet) + u128::from(self.carried);
        work << 32 <= u128::from(share::ONE - self.utilization) * u128::from(end)
    }
}

/// min(D, T) − J of `task`.
fn end(task: &Task) -> Option<u64> {
    task.deadline.min(task.period).checked_sub(task.jitter)
}

/// Whether all that is released before min(D, T) − J is done by then, as far as 64 bits tell.
fn done_in_time(level: &Level<'_>) -> bool {
    let Some(end) = end(level.task) else { return false };
    let work = level.higher.iter().try_fold(level.task.wcet, |work, higher| {
        let jobs = end.checked_add(higher.jitter)?.div_ceil(higher.period);
        work.checked_add(jobs.checked_mul(higher.wcet)?)
    });
    work.is_some_and(|work| work <= end)
}
