//! Audsley's algorithm for an optimal priority assignment (University of York YCS 164, 1991).
//!
//! The algorithm is optimal for all three tests ([`preemptive`](super::preemptive),
//! [`non_preemptive`](super::non_preemptive), [`limited`](super::limited)). In each test, the result for a task depends
//! only on the set of tasks with higher priority and on the set of tasks with lower priority. The order within these
//! sets has no effect. If another task moves from a higher to a lower priority than task i, the result for task i does
//! not become worse. So the algorithm may assign the lowest level to any task that meets its deadlines at this level.
//! The remaining tasks are a smaller problem of the same form.

use super::level::{Task, at};
use super::recurrence::Recurrence;
use super::worst_case::{STEP_LIMIT, Stop, WorstCase, worst_case};
use gpusched_model::verdict::Evidence;

/// Sorts `tasks` by priority, highest first, so that all jobs meet their deadlines. If no
/// priority order meets all deadlines, the function returns the evidence as `Err`.
///
/// The function assigns the lowest level first. For each level, the function tries the remaining tasks in reverse of
/// the given order. The first tried task that meets its deadlines at this level gets the level.
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
