//! Audsley's optimal priority assignment (University of York YCS 164, 1991).
//!
//! In all three tests, the result for a task depends on the set of tasks with higher priority and on the set of tasks with lower
//! priority. It does not depend on the order within these sets. If a task moves from a higher to a lower priority than another
//! task, the result of the other task does not become worse. So any task that meets its deadlines at the lowest level can have this
//! level, and the remaining tasks are a smaller problem of the same form.

use super::level::{Task, at};
use super::recurrence::Recurrence;
use super::worst_case::{STEP_LIMIT, Stop, WorstCase, worst_case};
use gpusched_model::verdict::Evidence;

/// Sorts `tasks` into an order that meets all deadlines, highest priority first. If no such order exists, returns `Err` with the
/// evidence.
///
/// For each level, beginning with the lowest, the function tries the tasks from the last to the first in the given order. It
/// assigns the level to the first task that meets its deadlines there.
pub(super) fn assign<R: Recurrence>(tasks: &mut [Task]) -> Result<(), Evidence> {
    for rank in (0..tasks.len()).rev() {
        let mut undecided = false;
        let mut placed = false;
        for candidate in (0..=rank).rev() {
            tasks[candidate..=rank].rotate_left(1);
            match worst_case::<R>(&at(tasks, rank), Stop::Early) {
                WorstCase::Response(_) => {
                    placed = true;
                    break;
                }
                WorstCase::TooLong => undecided = true,
                WorstCase::Late { .. } => {}
            }
            tasks[candidate..=rank].rotate_right(1);
        }
        if placed {
            continue;
        }
        if undecided {
            return Err(Evidence::Undecided { steps: STEP_LIMIT });
        }
        let mut left: Vec<usize> = tasks[..=rank].iter().map(|task| task.position).collect();
        left.sort_unstable();
        return Err(Evidence::NoPriorityOrder { tasks: left });
    }
    Ok(())
}
