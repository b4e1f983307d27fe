//! Audsley's optimal priority assignment (University of York YCS 164, 1991).
//!
//! In all three tests here, whether a task is in time depends on which tasks are above and which below it, not on their
//! order, and a task that moves from above to below it does it no harm. So the lowest level can go to any task that is in
//! time there, and the rest is a smaller problem.

use super::level::{Task, at};
use super::recurrence::Recurrence;
use super::worst_case::{STEP_LIMIT, Stop, WorstCase, worst_case};
use gpusched_model::verdict::Evidence;

/// Sorts `tasks` into an order that meets all deadlines, highest priority first; `Err` with the evidence if there is none.
///
/// Each level goes to the last task, in the order given, that is in time there.
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
