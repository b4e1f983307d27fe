//! A priority level: a task, the tasks with higher priority, and the tasks with lower priority.

use crate::schedulability::Demand;
use gpusched_model::utilization::compare_total;
use std::cmp::Ordering;

/// A task in the recurrences; times in ns.
#[derive(Copy, Clone, Debug)]
pub(super) struct Task {
    /// C.
    pub wcet: u64,
    /// T, positive.
    pub period: u64,
    /// D.
    pub deadline: u64,
    /// J.
    pub jitter: u64,
    /// b.
    pub block: u64,
    /// Position of the task in the partition.
    pub position: usize,
}

impl Task {
    /// D − J: the time from the latest release to the deadline.
    pub fn urgency(&self) -> u64 {
        self.deadline.saturating_sub(self.jitter)
    }
}

/// The tasks with `demands`. Earlier checks reject a period of 0 as overload.
pub(super) fn tasks(demands: &[Demand]) -> impl Iterator<Item = Task> + '_ {
    demands.iter().enumerate().map(|(position, demand)| Task {
        wcet: demand.wcet.ns(),
        period: demand.period.ns().max(1),
        deadline: demand.deadline.ns(),
        jitter: demand.jitter.ns(),
        block: demand.block.ns(),
        position,
    })
}

/// A task with the other tasks of its partition.
#[derive(Copy, Clone, Debug)]
pub(super) struct Level<'a> {
    /// hp(i).
    pub higher: &'a [Task],
    /// i.
    pub task: &'a Task,
    /// lp(i).
    pub lower: &'a [Task],
}

/// The level at rank `rank` of `tasks`, highest priority first.
pub(super) fn at(tasks: &[Task], rank: usize) -> Level<'_> {
    Level {
        higher: &tasks[..rank],
        task: &tasks[rank],
        lower: &tasks[rank + 1..],
    }
}

impl Level<'_> {
    /// Whether task i and the tasks above it need more than the processor, if each higher-priority job takes `waste` [ns] more.
    pub fn overloaded(&self, waste: u64) -> bool {
        let higher = self
            .higher
            .iter()
            .map(|task| (u128::from(task.wcet) + u128::from(waste), task.period));
        let own = std::iter::once((u128::from(self.task.wcet), self.task.period));
        compare_total(higher.chain(own), 1) == Ordering::Greater
    }

    /// Number of jobs of task i after which this level repeats, if it is not overloaded: lcm of the periods / T.
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

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
