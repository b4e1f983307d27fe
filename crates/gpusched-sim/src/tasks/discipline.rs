//! Scheduling disciplines of simulated partitions.

use super::Task;
use gpusched_model::Policy;
use gpusched_model::policy::{Preemption, Priorities};

/// How the jobs of a partition are scheduled.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Discipline {
    /// Order of priority.
    pub order: Order,
    /// When a running job is preempted.
    pub preemption: Preemption,
}

/// The order of priority among jobs.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Order {
    /// By absolute deadline. A tie goes to the task with the higher rank.
    Deadlines,
    /// By rank of the task.
    Ranks,
}

impl Discipline {
    /// Returns the discipline that `policy` tests. `None` for the necessary conditions, because they test no discipline.
    pub fn of(policy: Policy) -> Option<Discipline> {
        let (order, preemption) = match policy {
            Policy::Edf | Policy::Density => (Order::Deadlines, Preemption::Preemptive),
            Policy::NpEdf => (Order::Deadlines, Preemption::NonPreemptive),
            Policy::LpEdf => (Order::Deadlines, Preemption::Limited),
            Policy::FixedPriority(preemption, _) => (Order::Ranks, preemption),
            Policy::Hyperbolic | Policy::LiuLayland => (Order::Ranks, Preemption::Preemptive),
            Policy::WorkCapacity | Policy::WorkCapacityDeadline => return None,
        };
        Some(Discipline { order, preemption })
    }
}

/// Returns the positions of `tasks` by decreasing rank under `policy`. A tie goes to the lower position. `None` for Audsley's
/// order, because the parameters of the tasks do not determine it.
pub fn priorities(policy: Policy, tasks: &[Task]) -> Option<Vec<usize>> {
    let key: fn(&Task) -> u64 = match policy {
        Policy::FixedPriority(_, Priorities::Audsley) => return None,
        Policy::FixedPriority(_, Priorities::DeadlineMonotonic) => {
            |task| task.deadline.ns().saturating_sub(task.jitter.ns())
        }
        Policy::FixedPriority(_, Priorities::RateMonotonic) => |task| task.period.ns(),
        Policy::Hyperbolic | Policy::LiuLayland => |task| {
            task.deadline
                .min(task.period)
                .ns()
                .saturating_sub(task.jitter.ns())
        },
        _ => |_| 0,
    };
    let mut order: Vec<usize> = (0..tasks.len()).collect();
    order.sort_by_key(|&task| key(&tasks[task])); // stable
    Some(order)
}
