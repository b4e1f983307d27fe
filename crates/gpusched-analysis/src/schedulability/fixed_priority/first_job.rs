//! End of the first job of each priority level under immediate preemption, from the highest to the lowest priority.
//!
//! Let w be the end of the first job of a level. Let w' be this end on the next lower level, whose task has the WCET C'. All work of
//! the higher level that is released before w' − C' is done at w' − C', so w' ≥ w + C'. So the computation of w' starts with the jobs
//! that w counts, and adds further jobs. It rarely divides.

use super::level::{Level, Task};
use super::worst_case::STEP_LIMIT;

/// Largest time that the function handles [ns], so that no sum of two times overflows.
const MOST: u64 = 1 << 62;

/// Number of entries up to which [`FirstJobs::one_more`] is faster than branches.
const FEW: usize = 32;

/// Counted jobs of one entry of the tasks with higher priority.
#[derive(Copy, Clone, Debug)]
struct Jobs {
    count: u64,
    /// count·T − J: end of the longest window with this number of jobs [ns].
    until: u64,
}

/// The counted jobs of all tasks with higher priority.
#[derive(Debug)]
pub(super) struct FirstJobs {
    counted: Vec<Jobs>,
    /// Execution time of the counted jobs [ns]; `None` if it exceeds 64 bits.
    work: Option<u64>,
    /// Number of tasks with higher priority.
    levels: usize,
    /// Number of these tasks that have an entry in common with another task.
    merged: usize,
    /// End of the first job of an earlier level [ns].
    end: u64,
}

impl FirstJobs {
    /// Returns no counted jobs, for up to `levels` levels.
    pub fn new(levels: usize) -> FirstJobs {
        FirstJobs {
            counted: Vec::with_capacity(levels),
            work: Some(0),
            levels: 0,
            merged: 0,
            end: 0,
        }
    }

    /// Returns the end of the first job of the task of `level` [ns]. The calls must be for all levels, from the highest to the lowest.
    /// Returns `None` if the end is 0 or exceeds min(D, T) − J, if a time exceeds [`MOST`], or if the function does not find the end.
    pub fn next(&mut self, level: &Level<'_>) -> Option<u64> {
        let merged = self.levels.saturating_sub(level.higher.len());
        self.levels += 1;
        let Task { wcet, period, .. } = *level.task;
        if merged != self.merged {
            // The WCET of an entry has changed.
            self.merged = merged;
            let all = level.higher.iter().zip(&self.counted);
            self.work = { all.map(|(task, jobs)| jobs.count.checked_mul(task.wcet)) }
                .try_fold(0u64, |work, jobs| work.checked_add(jobs?));
        }
        let limit = level.task.deadline.min(period).checked_sub(level.task.jitter)?;
        if wcet == 0 {
            return None; // no job of another task has to start before the end
        }
        for task in &level.higher[self.counted.len()..] {
            if task.period > MOST {
                return None;
            }
            let count = self.end.max(1).checked_add(task.jitter)?.div_ceil(task.period);
            let until = count.checked_mul(task.period)? - task.jitter;
            self.counted.push(Jobs { count, until });
            let work = count.checked_mul(task.wcet);
            self.work = self.work.and_then(|before| before.checked_add(work?));
        }
        let mut end = self.work?.checked_add(wcet)?;
        let settled = self.settle(level, limit, &mut end);
        self.work = Some(end - wcet);
        settled?;
        self.end = end;
        Some(end)
    }

    /// Adds the execution time of all jobs that are released before `end` to `end`. Returns `None` if `end` exceeds `limit`.
    fn settle(&mut self, level: &Level<'_>, limit: u64, end: &mut u64) -> Option<()> {
        for _ in 0..STEP_LIMIT {
            if *end > limit.min(MOST) {
                return None;
            }
            let before = *end;
            if self.counted.len() > FEW || self.one_more(level, end) {
                for (task, jobs) in level.higher.iter().zip(&mut self.counted) {
                    if jobs.until < *end {
                        *jobs = jobs.until_after(*end, task, end)?;
                    }
                }
            }
            if *end == before {
                return Some(());
            }
        }
        None
    }

    /// Counts one more job of each task that releases a job before `end`, and adds its execution time to `end`. Returns whether a task
    /// releases more than one further job. No time exceeds [`MOST`].
    fn one_more(&mut self, level: &Level<'_>, end: &mut u64) -> bool {
        let (before, mut far) = (*end, 0);
        for (task, jobs) in level.higher.iter().zip(&mut self.counted) {
            // All bits are set if the task releases a job before `before`. No processor predicts a branch here well.
            let kept = before.wrapping_sub(jobs.until).wrapping_sub(1).cast_signed() >> 63;
            let one = !kept.cast_unsigned();
            jobs.count = jobs.count.wrapping_sub(one);
            jobs.until = jobs.until.wrapping_add(task.period & one);
            // `before` contains a job of each task, so `end` grows to at most 2·`before`.
            *end = end.wrapping_add(task.wcet & one);
            far |= jobs.until.wrapping_sub(before).cast_signed();
        }
        far < 0
    }
}

impl Jobs {
    /// Returns the jobs of `task` that are released before `window`, and adds the execution time of the new jobs to `end`. Returns `None`
    /// if a value exceeds 64 bits.
    fn until_after(self, window: u64, task: &Task, end: &mut u64) -> Option<Jobs> {
        let beyond = window - self.until;
        let more = if beyond <= task.period {
            1
        } else {
            beyond.div_ceil(task.period)
        };
        let jobs = Jobs {
            count: self.count.checked_add(more)?,
            until: self.until.checked_add(more.checked_mul(task.period)?)?,
        };
        *end = end.checked_add(more.checked_mul(task.wcet)?)?;
        Some(jobs)
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::super::level;
    use super::super::preemptive::Preemptive;
    use super::super::worst_case::{Stop, WorstCase, worst_case};
    use super::*;

    /// Each end is the longest response time minus J of the reference implementation, and a level without an end misses a deadline, has
    /// several jobs in its busy period, or has the WCET 0.
    #[test]
    fn ends_equal_those_of_each_level_for_itself() {
        let rng = &mut ChaCha8Rng::seed_from_u64(17);
        let (mut found, mut open) = (0, 0);
        for round in 0..3_000 {
            let count = [1, 2, 5, 20, 80][round % 5];
            let periods = [10, 12, 30, 60, 1_000, 100_000, 1 << 40, MOST, MOST + 1];
            let tasks: Vec<Task> = (0..count)
                .map(|position| {
                    let period = match rng.random_range(0..3) {
                        0 => rng.random_range(1..2_000),
                        _ => periods[rng.random_range(0..periods.len())],
                    };
                    let most =
                        [3 * period / (2 * count as u64), period][usize::from(rng.random_ratio(1, 40))];
                    Task {
                        wcet: rng.random_range(0..=most),
                        period,
                        deadline: rng.random_range(period / 2..=3 * period),
                        jitter: [0, rng.random_range(0..=2 * period)][usize::from(rng.random_ratio(1, 10))],
                        wave: 0,
                        blocking: [0; 2],
                        position,
                        count: 1,
                    }
                })
                .collect();
            let mut first = FirstJobs::new(count);
            let _ = level::for_each(&tasks, |level| {
                let worst = worst_case::<Preemptive>(level, Stop::Miss);
                let jitter = level.task.jitter;
                match first.next(level) {
                    Some(end) => {
                        found += 1;
                        assert_eq!(worst, WorstCase::Response(end + jitter), "{level:?}");
                    }
                    None => {
                        open += 1;
                        let end = match worst {
                            WorstCase::Response(time) => time - jitter,
                            _ => u64::MAX,
                        };
                        let limit = level.task.deadline.min(level.task.period).saturating_sub(jitter);
                        let huge = end > MOST || level.higher.iter().any(|task| task.period > MOST);
                        assert!(
                            end > limit || level.task.wcet == 0 || limit == 0 || huge,
                            "{level:?}"
                        );
                    }
                }
                matches!(worst, WorstCase::Response(_)).then_some(()).ok_or(())
            });
        }
        assert!(found > 4_000 && open > 300, "{found} {open}");
    }
}
