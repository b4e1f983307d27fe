//! A priority level: one task, the tasks with higher priority, and the tasks with lower priority.

use crate::schedulability::Demand;
use gpusched_model::utilization::compare_total;
use num_integer::gcd;
use std::cmp::Ordering;

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
    /// b: longest time between two preemption points.
    pub block: u64,
    /// Longest blocking of another task by this task without preemption, and under limited preemption.
    pub blocking: [u64; 2],
    /// Position of the task in the partition.
    pub position: usize,
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
        block: demand.block.ns(),
        blocking: [demand.blocking(), demand.block_blocking()],
        position,
    })
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
        let higher = self
            .higher
            .iter()
            .map(|task| (u128::from(task.wcet) + u128::from(waste), task.period));
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
