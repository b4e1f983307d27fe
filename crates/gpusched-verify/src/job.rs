//! A task as the scheduler of its partition treats it.

use super::wcet::{self, Wcets};
use gpusched_model::{Interference, TaskSet};

/// A task as the scheduler of its partition treats it. All times are in ns, in a type that avoids overflow.
#[derive(Copy, Clone, Debug)]
pub(super) struct Job {
    /// Position in the task set.
    pub task: usize,
    pub wcet: u128,
    pub period: u128,
    pub deadline: u128,
    pub jitter: u128,
    /// Longest part of the job that cannot be preempted.
    pub block: u128,
    /// min over m of m·C(m) [SM·ns].
    pub work: u128,
}

/// Returns the job parameters of `tasks` (positions in `set`) in a partition of `sms` SMs. `Err` contains the first task with
/// an unknown WCET.
///
/// # Panics
/// Panics if `set` has no such task. Ignoring the task would make the demand of the partition too small.
pub(super) fn jobs(set: &TaskSet, tasks: &[usize], sms: u32, wcets: Wcets<'_>) -> Result<Vec<Job>, usize> {
    tasks
        .iter()
        .map(|&position| {
            let task = &set.tasks()[position];
            let conflict = match wcets.interference {
                Interference::None | Interference::Bandwidth => false,
                Interference::Conflict | Interference::ConflictBandwidth => tasks
                    .iter()
                    .any(|&other| other != position && wcet::may_conflict(task, &set.tasks()[other])),
            };
            let c = wcets.of(task, sms, conflict).ok_or(position)?;
            Ok(Job {
                task: position,
                wcet: c,
                period: task.period().ns().into(),
                deadline: task.deadline().ns().into(),
                jitter: task.jitter().ns().into(),
                block: task
                    .block()
                    .map_or(c, |block| c.min(wcets.time(block.ns().into()))),
                work: wcets.least_work(task.wcet(), conflict).ok_or(position)?,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set() -> TaskSet {
        let json = r#"{"tasks":[{"period":10,"wcet":{"table":[[1,2]]}}]}"#;
        serde_json::from_str(json).expect("a task set")
    }

    /// If the missing task were ignored, its partition would pass.
    #[test]
    #[should_panic(expected = "out of bounds")]
    fn a_task_that_is_not_there_is_not_left_out() {
        let _ = jobs(&set(), &[0, 1], 1, Wcets::stated(Interference::Conflict));
    }

    #[test]
    fn no_wcet_is_known_beyond_the_largest_partition() {
        let jobs =
            |sms| jobs(&set(), &[0], sms, Wcets::stated(Interference::Conflict)).map(|jobs| jobs.len());
        let most = gpusched_model::wcet::MAX_SMS;
        assert_eq!((jobs(most), jobs(most + 1), jobs(0)), (Ok(1), Err(0), Err(0)));
    }
}
