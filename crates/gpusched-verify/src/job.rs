//! A task as the scheduler of its partition sees it.

use super::wcet;
use gpusched_model::{Interference, Task, TaskSet};

/// One task as the scheduler of its partition sees it; all in ns, and widened so that nothing overflows.
#[derive(Copy, Clone, Debug)]
pub(super) struct Job {
    /// Its position in the task set.
    pub task: usize,
    pub wcet: u128,
    pub period: u128,
    pub deadline: u128,
    pub jitter: u128,
    /// The longest part that cannot be preempted.
    pub block: u128,
    /// min over m of m·C(m) [SM·ns].
    pub work: u128,
}

/// What each of `tasks` asks of a partition of `sms` SMs that they share; `Err` with the first task whose WCET is unknown.
pub(super) fn jobs(
    set: &TaskSet,
    tasks: &[usize],
    sms: u32,
    interference: Interference,
) -> Result<Vec<Job>, usize> {
    let members: Vec<&Task> = tasks.iter().filter_map(|&task| set.tasks().get(task)).collect();
    tasks
        .iter()
        .filter_map(|&task| Some((task, set.tasks().get(task)?)))
        .map(|(position, task)| {
            let conflict = match interference {
                Interference::None | Interference::Bandwidth => false,
                Interference::Conflict | Interference::ConflictBandwidth => members
                    .iter()
                    .any(|other| !std::ptr::eq(*other, task) && wcet::may_conflict(task, other)),
            };
            let c = wcet::at(task.wcet(), sms, conflict).ok_or(position)?;
            Ok(Job {
                task: position,
                wcet: c,
                period: task.period().ns().into(),
                deadline: task.deadline().ns().into(),
                jitter: task.jitter().ns().into(),
                block: task.block().map_or(c, |block| c.min(block.ns().into())),
                work: wcet::least_work(task.wcet(), conflict),
            })
        })
        .collect()
}
