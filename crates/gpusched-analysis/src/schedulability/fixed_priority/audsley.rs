//! Audsley's optimal priority assignment (University of York YCS 164, 1991).
//!
//! In all three tests, the result for a task depends on which tasks have higher and which have lower priority, but not on their
//! order. A task that moves from above to below another task never makes the result of the other task worse. So the lowest level
//! can go to any task that meets its deadlines there, and the remaining tasks are a smaller problem.

use super::level::{Task, at};
use super::recurrence::Recurrence;
use super::worst_case::{STEP_LIMIT, Stop, WorstCase, worst_case};
use gpusched_model::verdict::Evidence;

/// Sorts `tasks` into an order that meets all deadlines, highest priority first. `Err` with the evidence if no order does.
///
/// Each level goes to the last task, in the given order, that meets its deadlines there.
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
