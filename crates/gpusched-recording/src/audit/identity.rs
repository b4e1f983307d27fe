//! Checks that the plan and the task set are the plan and the task set of a dispatched run.

use gpusched_model::error::{Error, Result};
use gpusched_model::identity::sha256;
use gpusched_model::plan::Partition;
use gpusched_model::{Plan, TaskSet};

use super::Audited;
use crate::model::{DispatchedPartition, DispatchedTask, Dispatcher, Recording};

/// Whether `set` is the task set of the run, or `None` if the recording does not state it.
pub fn is_set_of_run(recording: &Recording, set: &TaskSet) -> Option<bool> {
    let stated = recording.dispatcher.as_ref()?.set_sha256.as_ref()?;
    Some(*stated == sha256(set))
}

/// Checks `set` and `plan`. With another plan, almost every check would be broken, so one refusal states the reason. A plan or
/// a set with another SHA-256 may still state equal sizes, policies, tasks, periods, deadlines and WCETs. Then the checks
/// are equal, too.
///
/// # Errors
/// Refuses a plan or a task set that differs from the run in one of these values.
pub fn check(dispatcher: &Dispatcher, tasks: &[Audited<'_>], set: &TaskSet, plan: &Plan) -> Result<()> {
    let pairs = [
        ("plan", dispatcher.plan_sha256.as_ref(), sha256(plan)),
        ("set", dispatcher.set_sha256.as_ref(), sha256(set)),
    ];
    for (field, stated, found) in pairs {
        let what = if field == "set" { "task set" } else { field };
        let other = stated.filter(|stated| **stated != found && !agrees(dispatcher, tasks, plan));
        if let Some(stated) = other {
            let short = |hash: &str| hash.chars().take(12).collect::<String>();
            return Err(Error::parameter(
                field,
                format!("another {what}, with SHA-256 {}…", short(&found)),
                format!("the {what} of the run, with SHA-256 {}…", short(stated)),
            ));
        }
    }
    Ok(())
}

/// Whether the trace states the partitions of `plan` with `tasks`. Traces of version 1 state no periods and deadlines.
fn agrees(dispatcher: &Dispatcher, tasks: &[Audited<'_>], plan: &Plan) -> bool {
    let equal = |(of, planned): (&DispatchedPartition, &Partition)| {
        let same = |(of, task): (&DispatchedTask, &usize)| {
            tasks.get(*task).is_some_and(|task| {
                of.name == task.name
                    && of.wcet_ns == task.wcet.map(|wcet| wcet.ns())
                    && of
                        .period_ns
                        .is_none_or(|period| period == task.task.period().ns())
                    && of
                        .deadline_ns
                        .is_none_or(|deadline| deadline == task.task.deadline().ns())
            })
        };
        of.sms == Some(planned.sms)
            && of
                .policy
                .as_ref()
                .is_some_and(|policy| *policy == planned.verdict.policy.to_string())
            && of.tasks.len() == planned.tasks.len()
            && of.tasks.iter().zip(&planned.tasks).all(same)
    };
    let partitions = dispatcher.partitions.iter().zip(&plan.partitions);
    dispatcher.partitions.len() == plan.partitions.len() && { partitions }.all(equal)
}
