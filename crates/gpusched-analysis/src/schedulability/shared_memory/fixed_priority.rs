//! Fixed priorities under interference delay. The response times include the interference delay
//! of every window.
//!
//! The test uses the recurrences of [`crate::schedulability::fixed_priority`], with the interference delay as an
//! additional term. Without preemption, a job starts when all earlier work is done, or before. The job ends when this
//! earlier work and its own work are done, or before.

use super::contended::{Contended, STEP_LIMIT};
use super::window::{Done, Work};
use gpusched_model::policy::Priorities;
use gpusched_model::time::Time;
use gpusched_model::verdict::Evidence;

/// Tests whether all jobs meet their deadlines. If `runs_on` is true, there is no preemption.
/// Otherwise preemption is immediate.
pub(super) fn test(tasks: &Contended<'_>, runs_on: bool, priorities: Priorities) -> Evidence {
    let mut order: Vec<usize> = (0..tasks.demands.len()).collect();
    let urgency = |&task: &usize| {
        let demand = &tasks.demands[task];
        i128::from(demand.deadline.ns()) - i128::from(demand.jitter.ns())
    };
    match priorities {
        Priorities::DeadlineMonotonic | Priorities::Audsley => order.sort_by_key(urgency),
        Priorities::RateMonotonic => order.sort_by_key(|&task| tasks.demands[task].period),
        Priorities::Given => {}
    }
    let mut steps = STEP_LIMIT;
    if priorities == Priorities::Audsley
        && let Err(failure) = assign(tasks, runs_on, &mut order, &mut steps)
    {
        return failure;
    }
    let mut response_times_ns = vec![Time::ZERO; order.len()];
    // A task may fail although the test is inconclusive for a task with higher priority. So the remaining tasks get new
    // steps once.
    let mut undecided = false;
    for rank in 0..order.len() {
        let level = Level::new(tasks, runs_on, &order, rank);
        match level.response(&mut steps) {
            Done::At(time) => response_times_ns[order[rank]] = Time::from_ns(time),
            Done::Late => return Evidence::BoundExceeded,
            Done::TooLong => {
                if !undecided {
                    steps = STEP_LIMIT;
                }
                undecided = true;
            }
        }
    }
    if undecided {
        return Evidence::Undecided { steps: STEP_LIMIT };
    }
    Evidence::ResponseTimes {
        priorities: order,
        response_times_ns,
    }
}

/// Assigns priorities with Audsley's algorithm, beginning with the lowest level. Each level goes to the last task that
/// meets its deadlines at this level.
///
/// The algorithm stays optimal. Suppose that task j moves from a higher to a lower priority than task i. Before the
/// move, task j interferes with task i for at least the WCET of j. After the move, task j blocks task i for at most
/// the WCET of j. So the result for task i does not become worse.
fn assign(
    tasks: &Contended<'_>,
    runs_on: bool,
    order: &mut [usize],
    steps: &mut u64,
) -> Result<(), Evidence> {
    for rank in (0..order.len()).rev() {
        let mut placed = false;
        for candidate in (0..=rank).rev() {
            order[candidate..=rank].rotate_left(1);
            match Level::new(tasks, runs_on, order, rank).response(steps) {
                Done::At(_) => {
                    placed = true;
                    break;
                }
                Done::Late => order[candidate..=rank].rotate_right(1),
                Done::TooLong => return Err(Evidence::Undecided { steps: STEP_LIMIT }),
            }
        }
        if !placed {
            return Err(Evidence::BoundExceeded);
        }
    }
    Ok(())
}

/// A task, the tasks with higher priority, and the tasks with lower priority. Times are in ns.
struct Level<'a> {
    tasks: &'a Contended<'a>,
    runs_on: bool,
    higher: &'a [usize],
    task: usize,
    /// Blocking by a task with lower priority that has just started. The two values are for isolation and for the
    /// guaranteed bandwidth.
    blocking: [u64; 2],
    period: u64,
    jitter: u64,
}

impl<'a> Level<'a> {
    fn new(tasks: &'a Contended<'a>, runs_on: bool, order: &'a [usize], rank: usize) -> Level<'a> {
        let (higher, rest) = order.split_at(rank);
        let lower = &rest[1..];
        let longest = |demands: &[crate::schedulability::Demand]| match runs_on {
            true => lower
                .iter()
                .map(|&task| demands[task].wcet.ns())
                .max()
                .unwrap_or(0),
            false => 0,
        };
        let demand = &tasks.demands[rest[0]];
        Level {
            tasks,
            runs_on,
            higher,
            task: rest[0],
            blocking: [longest(tasks.demands), tasks.slowest.map_or(0, longest)],
            period: demand.period.ns().max(1),
            jitter: demand.jitter.ns(),
        }
    }

    /// Returns the total work of the blocking task, of `own` jobs of the task, and of all jobs
    /// with higher priority that are released within `window`. If `closed`, jobs that are
    /// released at the end of the window count, too.
    fn work(&self, own: u64, window: u64, closed: bool) -> Work {
        let [alone, slowest] = self.blocking;
        let released = |&task: &usize| {
            let demand = &self.tasks.demands[task];
            let (reach, period) = (
                u128::from(window) + u128::from(demand.jitter.ns()),
                u128::from(demand.period.ns().max(1)),
            );
            let jobs = match closed {
                true => reach / period + 1,
                false => reach.div_ceil(period),
            };
            (task, jobs)
        };
        let jobs = self.higher.iter().map(released).chain([(self.task, own.into())]);
        self.tasks.total(jobs).plus(alone, slowest)
    }

    /// Returns the largest response time of the task, or `Late` if it exceeds the deadline.
    fn response(&self, steps: &mut u64) -> Done {
        let deadline = self.tasks.demands[self.task].deadline.ns();
        let (mut worst, mut from, mut busy_from) = (0, 1, 1);
        for job in 0u64.. {
            let Some(arrival) = self.period.checked_mul(job) else {
                return Done::TooLong;
            };
            // Time from the start of the busy period to the deadline of this job. The busy period
            // starts J after the first arrival.
            let Some(latest) = deadline.saturating_add(arrival).checked_sub(self.jitter) else {
                return Done::Late;
            };
            let done = match self.finish(job, from, latest, steps) {
                Done::At(done) => done,
                other => return other,
            };
            worst = worst.max(done.saturating_add(self.jitter).saturating_sub(arrival));
            // The busy period ends if all work is done before the next job of the task is released.
            let next = self.period.saturating_add(arrival).saturating_sub(self.jitter);
            match self
                .tasks
                .done(busy_from, next, steps, |window| self.work(job + 1, window, false))
            {
                Done::At(_) => return Done::At(worst),
                Done::Late => {}
                Done::TooLong => return Done::TooLong,
            }
            // The work for the next job does not end before the work for this job.
            busy_from = next.max(1);
            from = done.min(latest).max(1);
        }
        Done::TooLong
    }

    /// Returns the time at which job `job` ends. Jobs count from 0. `from` is at most the end of the previous job. Without
    /// preemption, no job starts before the previous job has ended, so the search for the start begins at `from`.
    fn finish(&self, job: u64, from: u64, limit: u64, steps: &mut u64) -> Done {
        let tasks = self.tasks;
        if !self.runs_on {
            return tasks.done(from, limit, steps, |window| self.work(job + 1, window, false));
        }
        match tasks.done(from, limit, steps, |window| self.work(job, window, true)) {
            Done::At(start) => tasks.done(start, limit, steps, |_| self.work(job + 1, start, true)),
            other => other,
        }
    }
}
