//! Scheduling disciplines of simulated partitions.

use super::Task;
use gpusched_model::Policy;
use gpusched_model::policy::{Preemption, Priorities};
use gpusched_model::time::Time;

/// Rule that schedules the jobs of a partition.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Discipline {
    /// Assignment of priorities to jobs.
    pub order: Order,
    /// Instants at which a running job can be preempted.
    pub preemption: Preemption,
}

/// Assignment of priorities to jobs.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Order {
    /// The job with the earlier absolute deadline has priority. In a tie, the job of the task
    /// with the higher rank has priority.
    Deadlines,
    /// The job of the task with the higher rank has priority.
    Ranks,
    /// The job with the earlier release has priority. In a tie, the job of the task with the higher rank has priority.
    Releases,
    /// Any job may have priority. The simulator draws the priorities again at random times.
    Any,
}

impl Discipline {
    /// Returns the discipline for which `policy` is a schedulability test. Returns `None` for a
    /// necessary condition, because such a condition applies to every discipline.
    pub fn of(policy: Policy) -> Option<Discipline> {
        let (order, preemption) = match policy {
            Policy::Edf | Policy::Density => (Order::Deadlines, Preemption::Preemptive),
            Policy::NpEdf => (Order::Deadlines, Preemption::NonPreemptive),
            Policy::LpEdf => (Order::Deadlines, Preemption::Limited),
            Policy::NpFifo => (Order::Releases, Preemption::NonPreemptive),
            Policy::Concurrent => (Order::Any, Preemption::Preemptive),
            Policy::FixedPriority(preemption, _) => (Order::Ranks, preemption),
            Policy::Hyperbolic | Policy::LiuLayland => (Order::Ranks, Preemption::Preemptive),
            Policy::WorkCapacity | Policy::WorkCapacityDeadline => return None,
        };
        Some(Discipline { order, preemption })
    }
}

/// Returns `time` [ns] as a signed number. D − J is negative if J > D.
fn signed(time: Time) -> i128 {
    time.ns().into()
}

/// Returns the positions of `tasks`, sorted by decreasing rank under `policy`. In a tie, the task
/// at the lower position is first. Returns `None` for Audsley's algorithm, which requires a
/// schedulability test to compute the ranks.
pub fn priorities(policy: Policy, tasks: &[Task]) -> Option<Vec<usize>> {
    let key: fn(&Task) -> i128 = match policy {
        Policy::FixedPriority(_, Priorities::Audsley) => return None,
        Policy::FixedPriority(_, Priorities::DeadlineMonotonic) => {
            |task| signed(task.deadline) - signed(task.jitter)
        }
        Policy::FixedPriority(_, Priorities::RateMonotonic) => |task| signed(task.period),
        Policy::Hyperbolic | Policy::LiuLayland => {
            |task| signed(task.deadline.min(task.period)) - signed(task.jitter)
        }
        _ => |_| 0,
    };
    let mut order: Vec<usize> = (0..tasks.len()).collect();
    order.sort_by_key(|&task| key(&tasks[task])); // The sort is stable.
    Some(order)
}
