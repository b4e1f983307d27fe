//! End of the first job of each priority level under immediate preemption, from the highest to the lowest priority.
//!
//! Let w be the end of the first job of a level. Let w' be this end on the next lower level, whose task has the WCET C'. All work of
//! the higher level that is released before w' − C' is done at w' − C', so w' ≥ w + C'. So the computation of w' starts with the jobs
//! that w counts, and adds further jobs. It rarely divides.

use super::level::{Level, Task};
use super::worst_case::STEP_LIMIT;

/// Largest time that the function handles [ns], so that no sum of two times overflows.
const MOST: u64 = 1 << 62;

/// Number of entries up to which a pass is faster without branches.
const FEW: usize = 64;

/// The counted jobs of one entry of the tasks with higher priority. Its C is at most its T, and its T at most [`MOST`].
#[derive(Copy, Clone, Debug)]
struct Jobs {
    /// k·T − J for the number k of these jobs: end of the longest window with this number of jobs [ns].
    until: u64,
    /// T [ns].
    period: u64,
    /// C [ns].
    wcet: u64,
    /// ⌊(2⁶⁴ − 1)/T⌋.
    inverse: u64,
}

/// The counted jobs of all tasks with higher priority.
#[derive(Debug)]
pub(super) struct FirstJobs {
    counted: Vec<Jobs>,
    /// Execution time of the counted jobs [ns]; `None` if it exceeds 64 bits, or if C > T for an entry.
    work: Option<u64>,
    /// Least `until` of all entries [ns].
    next: u64,
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
            next: u64::MAX,
            levels: 0,
            merged: 0,
            end: 0,
        }
    }

    /// Returns the end of the first job of the task of `level` [ns]. The calls must be for all levels, from the highest to the lowest.
    /// Returns `None` if the end is 0 or exceeds min(D, T) − J, if T ≤ 1, if a time exceeds [`MOST`], or if the function does not find
    /// the end. If all calls return an end, the utilization of all tasks is at most 1.
    pub fn next(&mut self, level: &Level<'_>) -> Option<u64> {
        let merged = self.levels.saturating_sub(level.higher.len());
        self.levels += 1;
        let Task { wcet, period, .. } = *level.task;
        if merged != self.merged {
            self.merged = merged;
            self.work = self.merge(level.higher);
        }
        let limit = level.task.deadline.min(period).checked_sub(level.task.jitter)?;
        if wcet == 0 || period <= 1 {
            return None; // no job of another task has to start before the end, or T is 0 in the input
        }
        for task in &level.higher[self.counted.len()..] {
            let more = self.add(task)?;
            self.work = self.work.and_then(|work| work.checked_add(more));
        }
        let mut end = self.work?.checked_add(wcet)?;
        let settled = self.settle(limit.min(MOST), &mut end);
        self.work = Some(end - wcet);
        settled?;
        self.end = end;
        Some(end)
    }

    /// Adds an entry with the jobs of `task` that are released before the end of an earlier level, but with at least one job. Returns
    /// their execution time [ns]. Returns `None` without an entry if the time exceeds 64 bits, if C > T, or if T exceeds [`MOST`].
    fn add(&mut self, task: &Task) -> Option<u64> {
        let Task {
            wcet, period, jitter, ..
        } = *task;
        if period > MOST || wcet > period {
            return None;
        }
        let window = self.end.max(1).checked_add(jitter)?;
        // Up to the end of the first job of its own level, a task releases one job.
        let count = if window <= period {
            1
        } else {
            window.div_ceil(period)
        };
        let until = count.checked_mul(period)? - jitter;
        let work = count.checked_mul(wcet)?;
        self.next = self.next.min(until);
        self.counted.push(Jobs {
            until,
            period,
            wcet,
            inverse: u64::MAX / period,
        });
        Some(work)
    }

    /// Reads the WCETs of all entries again, because another task is in an entry. Returns the execution time of the counted jobs, or
    /// `None` if it exceeds 64 bits, or if C > T for an entry.
    fn merge(&mut self, higher: &[Task]) -> Option<u64> {
        let mut entries = higher.iter().zip(&mut self.counted);
        entries.try_fold(0u64, |work, (task, jobs)| {
            jobs.wcet = task.wcet;
            let count = jobs.until.checked_add(task.jitter)? / task.period;
            let fits = task.wcet <= task.period;
            work.checked_add(count.checked_mul(task.wcet).filter(|_| fits)?)
        })
    }

    /// Adds the execution time of all jobs that are released before `end` to `end`. Returns `None` if `end` exceeds `limit`, which is at
    /// most [`MOST`].
    fn settle(&mut self, limit: u64, end: &mut u64) -> Option<()> {
        let few = self.counted.len() <= FEW;
        for _ in 0..STEP_LIMIT {
            if *end > limit {
                return None;
            }
            if *end <= self.next {
                return Some(());
            }
            let (mut more, mut next) = (0u64, u64::MAX);
            for jobs in &mut self.counted {
                if few || jobs.until < *end {
                    more = more.saturating_add(jobs.release(*end));
                }
                next = next.min(jobs.until);
            }
            self.next = next;
            *end = end.saturating_add(more);
        }
        None
    }
}

impl Jobs {
    /// Counts further jobs that are released before `window`, and returns their execution time [ns]. If there are such jobs, the function
    /// counts at least one. `window` is at most [`MOST`].
    ///
    /// No processor predicts a branch here well, and a division takes longer than two products. The product with `inverse` is at most
    /// the quotient. So the function may leave jobs for the next call, but never counts too many.
    #[inline]
    fn release(&mut self, window: u64) -> u64 {
        // Time from the release of the next job to the last instant of the window. Negative if the window contains no further job.
        let beyond = window.wrapping_sub(self.until).wrapping_sub(1);
        let none = (beyond.cast_signed() >> 63).cast_unsigned();
        let least = ((u128::from(beyond) * u128::from(self.inverse)) >> 64) as u64;
        let count = least.wrapping_add(1) & !none;
        // count·T ≤ window + T, so no product overflows.
        self.until = self.until.wrapping_add(count.wrapping_mul(self.period));
        count.wrapping_mul(self.wcet)
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
        let (mut found, mut open, mut many) = (0, 0, 0);
        for round in 0..3_000 {
            let count = [1, 2, 5, 20, if round % 50 == 4 { 300 } else { 80 }][round % 5];
            let mild = count == 300; // otherwise most tasks come after a deadline miss
            let periods = [10, 12, 30, 60, 1_000, 100_000, 1 << 40, MOST, MOST + 1];
            let mut tasks: Vec<Task> = (0..count)
                .map(|position| {
                    let period = match rng.random_range(0..3) {
                        0 => rng.random_range(1..2_000),
                        _ => periods[rng.random_range(0..periods.len())],
                    };
                    let most = [3 * period / (2 * count as u64), period]
                        [usize::from(!mild && rng.random_ratio(1, 40))];
                    Task {
                        wcet: rng.random_range(0..=most),
                        period,
                        deadline: rng.random_range(if mild { period } else { period / 2 }..=3 * period),
                        jitter: [0, rng.random_range(0..=2 * period)]
                            [usize::from(!mild && rng.random_ratio(1, 10))],
                        wave: 0,
                        blocking: [0; 2],
                        position,
                        count: 1,
                    }
                })
                .collect();
            if mild {
                tasks.sort_by_key(|task| task.period);
            }
            let mut first = FirstJobs::new(count);
            let _ = level::for_each(&tasks, |level| {
                let worst = worst_case::<Preemptive>(level, Stop::Miss);
                let jitter = level.task.jitter;
                match first.next(level) {
                    Some(end) => {
                        found += 1;
                        many += usize::from(level.higher.len() > FEW);
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
                        let short = level.task.wcet == 0 || level.task.period <= 1;
                        assert!(end > limit || short || limit == 0 || huge, "{level:?}");
                    }
                }
                matches!(worst, WorstCase::Response(_)).then_some(()).ok_or(())
            });
        }
        assert!(found > 4_000 && open > 300 && many > 300, "{found} {open} {many}");
    }
}
