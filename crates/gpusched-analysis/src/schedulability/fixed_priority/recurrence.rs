//! The recurrences of response-time analysis: least fixed points of sums of step functions.

use super::level::{Level, Task};

/// A preemption model for one priority level. Times are in ns, from the start of the busy period.
pub(super) trait Recurrence {
    /// Whether [`FirstJobs`](super::first_job::FirstJobs) computes the ends of first jobs: no blocking, and no extra time.
    const CONTINUES: bool;

    /// Whether the level has no work left at the end of a job ([`Recurrence::finish`]), if no further job arrives.
    const FINISH_ENDS: bool;

    /// Returns Bᵢ, the longest blocking of this level by a running task with lower priority.
    fn blocking(level: &Level<'_>) -> u64;

    /// Returns γᵢ, the longest extra time that a job with higher priority causes in addition to
    /// its own execution time.
    fn waste(level: &Level<'_>) -> u64;

    /// Returns the time at which job `job` of task i ends in the longest busy period. Jobs count
    /// from 0. `from` is a lower bound on the result. If the exact result exceeds `limit`, the function may return a
    /// smaller value above `limit`.
    fn finish(work: &Work<'_>, job: u64, from: u64, limit: u64, steps: &mut u64) -> Fixpoint;
}

/// Result of an iteration of a recurrence.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Fixpoint {
    /// The least fixed point.
    At(u64),
    /// A value above the limit. The least fixed point is at least as large.
    Beyond(u64),
    /// The iteration reached the step limit.
    TooLong,
}

/// Work of a priority level: the work of task i and of the tasks with higher priority.
#[derive(Copy, Clone, Debug)]
pub(super) struct Work<'a> {
    pub higher: &'a [Task],
    pub task: &'a Task,
    /// Bᵢ: longest blocking by a task with lower priority.
    pub blocking: u64,
    /// γᵢ: extra time per job with higher priority.
    pub waste: u64,
}

impl<'a> Work<'a> {
    pub fn of<R: Recurrence>(level: &Level<'a>) -> Work<'a> {
        Work {
            higher: level.higher,
            task: level.task,
            blocking: R::blocking(level),
            waste: R::waste(level),
        }
    }

    /// Returns B + `jobs`·C.
    pub fn own(&self, jobs: u64) -> u64 {
        jobs.saturating_mul(self.task.wcet).saturating_add(self.blocking)
    }

    /// Returns the least w with w = B + (`job` + 1)·C + Σ ⌈(w + Jⱼ)/Tⱼ⌉·(Cⱼ + γ), where j are the
    /// tasks with higher priority. If an entry merges several tasks, it counts γ for each of them. At w, all work that is
    /// released before w is done.
    pub fn clear(&self, job: u64, from: u64, limit: u64, steps: &mut u64) -> Fixpoint {
        let own = self.own(job.saturating_add(1));
        least_fixpoint(from.max(own), limit, steps, |w| {
            self.higher.iter().fold(own, |total, task| {
                let jobs = w.saturating_add(task.jitter).div_ceil(task.period);
                let each = task.wcet.saturating_add(self.waste.saturating_mul(task.count));
                total.saturating_add(jobs.saturating_mul(each))
            })
        })
    }
}

/// Computes the least fixed point of `function`, which must never decrease. The iteration starts
/// at `from`, which must be at most the least fixed point.
///
/// Sums in `function` saturate at the largest number, which exceeds every `limit`.
pub(super) fn least_fixpoint(
    from: u64,
    limit: u64,
    steps: &mut u64,
    function: impl Fn(u64) -> u64,
) -> Fixpoint {
    let mut value = from;
    loop {
        if value > limit || value == u64::MAX {
            return Fixpoint::Beyond(value);
        }
        let Some(left) = steps.checked_sub(1) else {
            return Fixpoint::TooLong;
        };
        *steps = left;
        let next = function(value);
        if next <= value {
            return Fixpoint::At(value);
        }
        value = next;
    }
}
