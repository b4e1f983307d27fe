//! Priority orders that the parameters of the tasks determine.

use super::level::Task;
use gpusched_model::policy::Priorities;

/// Sorts `tasks` by priority, highest first. Audsley's algorithm tries the tasks in reverse of this order.
pub(super) fn rank(priorities: Priorities, tasks: &mut [Task]) {
    match priorities {
        Priorities::DeadlineMonotonic | Priorities::Audsley => {
            tasks.sort_unstable_by_key(|task| (task.urgency(), task.position));
        }
        Priorities::RateMonotonic => tasks.sort_unstable_by_key(|task| (task.period, task.position)),
        Priorities::Given => tasks.sort_unstable_by_key(|task| task.position),
    }
}
