//! Schedulability tests inside one partition. A partition is a uniprocessor where each task has the WCET C(m) ([Singh21] §3.5.5).
//!
//! Every test computes [`Evidence`] from the demands of the tasks. The evidence determines the verdict.
//! * [`edf`]: earliest deadline first: preemptive, non-preemptive, and with preemption at thread-block boundaries;
//! * [`fixed_priority`]: response-time analysis for fixed priorities, with the same forms of preemption;
//! * [`utilization`]: density, hyperbolic and Liu–Layland bounds, sufficient;
//! * [`shared_memory`]: EDF and fixed priorities in a partition to which other partitions cause interference delay;
//! * [`work_capacity`]: necessary conditions, which are one analysis variant of the experiment of [Singh21].
//!
//! Times are whole nanoseconds, so a blocking job started at least 1 ns before the release of the job that it delays. Jobs of one
//! task execute in the order of their arrival.

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

/// Returns the verdict of `policy` on tasks with `demands` that share a partition of `sms` SMs.
pub fn test(policy: Policy, demands: &[Demand], sms: u32) -> Verdict {
    Verdict::new(policy, evidence(policy, demands, sms))
}

/// Returns the evidence for the verdict of [`test`].
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

/// Returns whether the verdict is "schedulable". It creates no evidence, for use in inner loops.
pub fn accepts(policy: Policy, demands: &[Demand], sms: u32) -> bool {
    match policy {
        Policy::Edf => edf::preemptive::accepts(demands),
        Policy::NpEdf => edf::non_preemptive::accepts(demands),
        Policy::LpEdf => edf::limited::accepts(demands),
        Policy::FixedPriority(preemption, priorities) => {
            fixed_priority::accepts(preemption, priorities, demands)
        }
        // The evidence of all other policies takes little time and memory.
        policy => evidence(policy, demands, sms).is_positive(),
    }
}

/// Returns a bound on the response time of each task [ns]. The bounds are exact if the test of `policy` is exact.
///
/// Returns `None` if `policy` has no such bounds, or if the analysis does not find them. See [`edf::response_times`] and
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
