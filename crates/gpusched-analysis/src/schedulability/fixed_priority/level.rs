//! A priority level: one task, the tasks with higher priority, and the tasks with lower priority.

use crate::schedulability::Demand;
use gpusched_model::utilization::compare_total;
use num_integer::gcd;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Parameters of a task that the recurrences use. Times are in ns.
#[derive(Copy, Clone, Debug)]
pub(super) struct Task {
    /// C: WCET of the task.
    pub wcet: u64,
    /// T: period of the task; > 0.
    pub period: u64,
    /// D: relative deadline of the task.
    pub deadline: u64,
    /// J: release jitter of the task.
    pub jitter: u64,
    /// Longest extra wave that a preemption of the task causes; 0 without preemption points.
    pub wave: u64,
    /// Longest blocking of another task by this task without preemption, and under limited preemption.
    pub blocking: [u64; 2],
    /// Position of the task in the partition.
    pub position: usize,
    /// Number of tasks that this entry stands for ([`Merged`]).
    pub count: u64,
}

impl Task {
    /// Returns D − J, the time from the latest release to the deadline [ns]. Negative if J > D.
    pub fn urgency(&self) -> i128 {
        i128::from(self.deadline) - i128::from(self.jitter)
    }
}

/// Returns a task for each of the `demands`. Earlier checks have rejected demands with a period
/// of 0.
pub(super) fn tasks(demands: &[Demand]) -> impl Iterator<Item = Task> + '_ {
    demands.iter().enumerate().map(|(position, demand)| Task {
        wcet: demand.wcet.ns(),
        period: demand.period.ns().max(1),
        deadline: demand.deadline.ns(),
        jitter: demand.jitter.ns(),
        wave: if demand.block < demand.wcet {
            demand.block.ns()
        } else {
            0
        },
        blocking: [demand.blocking(), demand.block_blocking()],
        position,
        count: 1,
    })
}

/// Tasks with higher priority. Tasks with equal T and J are one entry, because they release their jobs together. So a
/// recurrence takes time in proportion to the number of different T and J, not to the number of tasks.
#[derive(Default)]
struct Merged {
    tasks: Vec<Task>,
    places: HashMap<(u64, u64), usize>,
}

impl Merged {
    fn add(&mut self, task: &Task) {
        match self.places.entry((task.period, task.jitter)) {
            Entry::Vacant(place) => {
                place.insert(self.tasks.len());
                self.tasks.push(*task);
            }
            Entry::Occupied(place) => {
                let all = &mut self.tasks[*place.get()];
                all.wcet = all.wcet.saturating_add(task.wcet);
                all.wave = all.wave.max(task.wave);
                all.count += 1;
            }
        }
    }
}

/// Number of tasks up to which [`for_each`] merges no tasks.
const FEW: usize = 64;

/// Calls `visit` with the levels of `tasks`, from the highest to the lowest priority, until `visit` returns an error.
/// `tasks` are sorted by priority, highest first.
///
/// # Errors
/// Returns the error of `visit`.
pub(super) fn for_each<E>(
    tasks: &[Task],
    mut visit: impl FnMut(&Level<'_>) -> Result<(), E>,
) -> Result<(), E> {
    if tasks.len() <= FEW {
        return (0..tasks.len()).try_for_each(|rank| visit(&at(tasks, rank)));
    }
    // One entry with the longest blocking stands for all tasks with lower priority.
    let mut lower = vec![tasks[tasks.len() - 1]];
    for task in tasks.iter().skip(1).rev() {
        let below = lower[lower.len() - 1].blocking;
        let longest = |form: usize| below[form].max(task.blocking[form]);
        lower.push(Task {
            blocking: [longest(0), longest(1)],
            ..*task
        });
    }
    let mut higher = Merged::default();
    for (rank, task) in tasks.iter().enumerate() {
        let below = tasks.len() - 1 - rank; // number of tasks with lower priority
        visit(&Level {
            higher: &higher.tasks,
            task,
            lower: if below > 0 { &lower[below..=below] } else { &[] },
        })?;
        higher.add(task);
    }
    Ok(())
}

/// A task i, and the tasks of its partition with higher and with lower priority.
#[derive(Copy, Clone, Debug)]
pub(super) struct Level<'a> {
    /// hp(i): tasks with higher priority.
    pub higher: &'a [Task],
    /// Task i.
    pub task: &'a Task,
    /// lp(i): tasks with lower priority.
    pub lower: &'a [Task],
}

/// Returns the level of the task at rank `rank`. `tasks` are sorted by priority, highest first.
pub(super) fn at(tasks: &[Task], rank: usize) -> Level<'_> {
    Level {
        higher: &tasks[..rank],
        task: &tasks[rank],
        lower: &tasks[rank + 1..],
    }
}

impl Level<'_> {
    /// Returns whether the utilization of this level exceeds 1. The level contains task i and the tasks with higher
    /// priority. Each job with higher priority counts with its WCET plus `waste` [ns].
    pub fn overloaded(&self, waste: u64) -> bool {
        let higher = self.higher.iter().map(|task| {
            let wasted = u128::from(waste) * u128::from(task.count);
            (u128::from(task.wcet) + wasted, task.period)
        });
        let own = std::iter::once((u128::from(self.task.wcet), self.task.period));
        compare_total(higher.chain(own), 1) == Ordering::Greater
    }

    /// Returns the number of jobs of task i in one hyperperiod of this level. The hyperperiod is
    /// the least common multiple of the periods. If the level is not overloaded, its schedule
    /// repeats after this number of jobs.
    pub fn jobs_in_hyperperiod(&self) -> Option<u64> {
        let own = u128::from(self.task.period);
        let mut hyperperiod = own;
        for task in self.higher {
            let period = u128::from(task.period);
            hyperperiod = (hyperperiod / gcd(hyperperiod, period)).checked_mul(period)?;
        }
        u64::try_from(hyperperiod / own).ok()
    }
}
