//! A task with the parameters that a schedulability test uses.

use super::wcet::{self, Wcets};
use gpusched_model::TaskSet;

/// A task with the parameters that a schedulability test uses. All times are in ns, and their type avoids overflow.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Job {
    /// Position of the task in the task set.
    pub task: usize,
    pub wcet: u128,
    pub period: u128,
    pub deadline: u128,
    pub jitter: u128,
    /// Longest part of a job that cannot be preempted.
    pub block: u128,
    /// Least time from the start of a blocking job to the release of the job that it blocks.
    pub lead: u128,
    /// Least work: the minimum of m·C(m) over all m [SM·ns].
    pub work: u128,
}

/// Returns the parameters of the tasks in a partition of `sms` SMs. `tasks` has the positions of these tasks in `set`.
/// If some WCETs are unknown, returns the position of the first task with an unknown WCET as `Err`.
///
/// # Panics
/// Panics if `set` has no task at a position. If the function ignored the task, the demand of the
/// partition would be too small.
pub(crate) fn jobs(set: &TaskSet, tasks: &[usize], sms: u32, wcets: Wcets<'_>) -> Result<Vec<Job>, usize> {
    tasks
        .iter()
        .map(|&position| {
            let task = &set.tasks()[position];
            let conflict = wcets.conflict()
                && tasks
                    .iter()
                    .any(|&other| other != position && wcet::may_conflict(task, &set.tasks()[other]));
            let c = wcets.of(task, sms, conflict).ok_or(position)?;
            Ok(Job {
                task: position,
                wcet: c,
                period: task.period().ns().into(),
                deadline: task.deadline().ns().into(),
                jitter: wcets.jitter(task).into(),
                block: wcets.block(task).map_or(c, |block| c.min(block)),
                lead: wcets.lead(),
                work: wcets.least_work(task, conflict).ok_or(position)?,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpusched_model::Interference;

    fn set() -> TaskSet {
        let json = r#"{"tasks":[{"period":10,"wcet":{"table":[[1,2]]}}]}"#;
        serde_json::from_str(json).expect("a task set")
    }

    /// If the verifier ignored the missing task, its partition would pass.
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
