//! Plans with stated partitions, such as partitions that an algorithm of the user has found.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::problem::Problem;
use super::search::Part;
use super::search::outcome::{assembled, elapsed_ns, placed};
use gpusched_model::counted;
use gpusched_model::error::Refusal;
use gpusched_model::plan::{Failure, Plan, SearchStats};

/// A stated partition: its size and its tasks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stated {
    /// Number of SMs; at least 1.
    pub sms: u32,
    /// Positions of the tasks in the task set, from 0. Their order has no meaning.
    pub tasks: Vec<usize>,
}

/// Returns the plan with the partitions `parts`, and tests each partition. The plan is schedulable if all partitions pass
/// their tests and fit on the GPU together. If a partition has more SMs than the GPU, the plan has no partitions.
///
/// # Errors
/// Fails if a partition has no SMs, no tasks or an unsupported size, and unless each task is in exactly one partition.
pub fn stated(problem: &Problem<'_>, parts: &[Stated]) -> Result<Plan, Refusal> {
    let start = Instant::now();
    check(problem, parts)?;
    let is_small = parts.iter().all(|part| part.sms <= problem.sms());
    let (parts, fits) = match is_small {
        false => (Vec::new(), false),
        true => placed(problem, parts.iter().map(sorted).collect()),
    };
    let plan = assembled(problem, parts, SearchStats::default());
    let schedulable = plan.schedulable && fits;
    Ok(Plan {
        schedulable,
        failure: (!schedulable).then_some(Failure::HeuristicFailed),
        stats: SearchStats {
            search_ns: elapsed_ns(start),
            ..plan.stats
        },
        ..plan
    })
}

/// Returns the plan of an algorithm that found no partitions. The plan is not schedulable.
pub fn no_plan(problem: &Problem<'_>) -> Plan {
    Plan {
        schedulable: false,
        failure: Some(Failure::HeuristicFailed),
        ..assembled(problem, Vec::new(), SearchStats::default())
    }
}

/// Returns the partition with its tasks in ascending order. The order decides between equal priorities, and the user states no
/// priorities.
fn sorted(part: &Stated) -> Part {
    let mut tasks = part.tasks.clone();
    tasks.sort_unstable();
    Part { sms: part.sms, tasks }
}

/// Checks that the sizes of the partitions are supported, and that each task is in one partition.
fn check(problem: &Problem<'_>, parts: &[Stated]) -> Result<(), Refusal> {
    let count = problem.tasks().len();
    let sizes = problem.offer().map(super::Offer::sizes);
    let mut placed = vec![false; count];
    for (index, part) in parts.iter().enumerate() {
        if part.sms == 0 || part.tasks.is_empty() {
            let (sms, tasks) = (counted(part.sms, "SM"), counted(part.tasks.len(), "task"));
            let found = format!("{sms} and {tasks}");
            return Refusal::refuse(format!("partitions[{index}]"), found, "at least 1 SM and 1 task");
        }
        if sizes.as_ref().is_some_and(|sizes| !sizes.contains(&part.sms)) {
            let expected = "one of `sizes`, the supported partition sizes";
            return Refusal::refuse(format!("partitions[{index}].sms"), part.sms, expected);
        }
        for &task in &part.tasks {
            match placed.get_mut(task) {
                Some(placed) if !*placed => *placed = true,
                _ => {
                    let expected = format!("each of the {count} tasks once, from 0");
                    return Refusal::refuse(format!("partitions[{index}].tasks"), task, expected);
                }
            }
        }
    }
    match placed.iter().position(|placed| !placed) {
        Some(missing) => {
            let found = format!("no partition for task {missing}");
            Refusal::refuse("partitions", found, "each task in one partition")
        }
        None => Ok(()),
    }
}
