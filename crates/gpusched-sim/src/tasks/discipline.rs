//! Who runs.

use super::Task;
use gpusched_model::Policy;
use gpusched_model::policy::{Preemption, Priorities};

/// How the jobs of a partition are scheduled.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Discipline {
    /// Who is more urgent.
    pub order: Order,
    /// When a running job makes way.
    pub preemption: Preemption,
}

/// Who is more urgent.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Order {
    /// The earlier deadline; ties: the higher rank of the task.
    Deadlines,
    /// The higher rank of the task.
    Ranks,
}

impl Discipline {
    /// What `policy` is a test for; `None` for the necessary conditions, which are tests for nothing.
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

/// The positions of `tasks` in the order of their ranks under `policy`, the highest first; `None` for Audsley's order, which
/// does not follow from the parameters of the tasks. Ties: the lower position.
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
