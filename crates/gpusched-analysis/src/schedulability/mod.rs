//! Tests inside one partition: a uniprocessor whose tasks take C(m) each ([Singh21] §3.5.5).
//!
//! Every test maps the demands of the tasks to [`Evidence`], from which the verdict follows.
//! * [`edf`]: earliest deadline first, preemptive, non-preemptive, and with preemption at block boundaries;
//! * [`fixed_priority`]: the same for fixed priorities, by response-time analysis;
//! * [`utilization`]: density, hyperbolic and Liu–Layland bounds, sufficient;
//! * [`beside`]: EDF and fixed priorities in a partition that others slow down;
//! * [`work_capacity`]: necessary conditions, one reading of [Singh21]'s experiment.
//!
//! A job that blocks a more urgent one has started at least 1 ns before: times are whole nanoseconds. Jobs of one task run
//! in the order of their arrival.

pub mod demand;
pub mod edf;
pub mod fixed_priority;
mod scratch;
mod share;
pub mod shared_memory;
pub mod utilization;
pub mod work_capacity;

pub use demand::Demand;

use gpusched_model::policy::Policy;
use gpusched_model::time::Time;
use gpusched_model::verdict::{Evidence, Verdict};

/// The verdict of `policy` on tasks with these demands, sharing a partition of `sms` SMs.
pub fn test(policy: Policy, demands: &[Demand], sms: u32) -> Verdict {
    Verdict::new(policy, evidence(policy, demands, sms))
}

/// What the verdict rests on.
pub fn evidence(policy: Policy, demands: &[Demand], sms: u32) -> Evidence {
    match policy {
        Policy::Edf => edf::preemptive::test(demands),
        Policy::NpEdf => edf::non_preemptive::test(demands),
        Policy::LpEdf => edf::limited::test(demands),
        Policy::FixedPriority(preemption, priorities) => {
            fixed_priority::test(preemption, priorities, demands)
        }
        Policy::Density => utilization::density(demands),
        Policy::Hyperbolic => utilization::hyperbolic(demands),
        Policy::LiuLayland => utilization::liu_layland(demands),
        Policy::WorkCapacity => work_capacity::test(demands, sms),
        Policy::WorkCapacityDeadline => work_capacity::test_with_deadlines(demands, sms),
    }
}

/// Whether the verdict is "schedulable", without building evidence: for inner loops.
pub fn accepts(policy: Policy, demands: &[Demand], sms: u32) -> bool {
    match policy {
        Policy::Edf => edf::preemptive::accepts(demands),
        Policy::NpEdf => edf::non_preemptive::accepts(demands),
        Policy::LpEdf => edf::limited::accepts(demands),
        Policy::FixedPriority(preemption, priorities) => {
            fixed_priority::accepts(preemption, priorities, demands)
        }
        // The evidence of the others is small.
        policy => evidence(policy, demands, sms).is_positive(),
    }
}

/// The response time bound of each task [ns], as far as `policy` has them; exact if its strength is.
///
/// `None` for a policy without, or where none is found: see [`edf::response_times`] and
/// [`fixed_priority::response_times`].
pub fn response_times(policy: Policy, demands: &[Demand]) -> Option<Vec<Option<Time>>> {
    match policy {
        Policy::Edf => Some(edf::response_times(demands)?.into_iter().map(Some).collect()),
        Policy::FixedPriority(preemption, priorities) => {
            Some(fixed_priority::response_times(preemption, priorities, demands))
        }
        _ => None,
    }
}
