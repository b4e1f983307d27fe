//! Schedulability tests for one partition. Each test treats the partition as a uniprocessor, where each task has the
//! WCET C(m) ([Singh21] §3.5.5).
//!
//! Every test computes [`Evidence`] from the demands of the tasks. The evidence determines the
//! verdict.
//! * [`edf`]: earliest deadline first, in three forms: preemptive, non-preemptive, and with
//!   preemption at thread-block boundaries;
//! * [`fixed_priority`]: response-time analysis for fixed priorities, with the same three forms
//!   of preemption;
//! * [`fifo`]: first in, first out; exact;
//! * [`concurrent`]: kernels that run together, each task in its own stream; exact for every division of the SMs;
//! * [`utilization`]: density bound, hyperbolic bound and Liu–Layland bound; sufficient;
//! * [`shared_memory`]: EDF and fixed priorities with interference delay from other partitions;
//! * [`work_capacity`]: necessary conditions, which are one analysis variant of the experiment of
//!   [Singh21].
//!
//! Times are whole nanoseconds. So a blocking job started at least 1 ns before the release of the
//! job that it delays, unless delays may end between two nanoseconds ([`Demand::lead`]). Jobs of one
//! task execute in the order of their arrival.

pub mod demand;
pub mod edf;
pub mod fifo;
pub mod fixed_priority;
mod scratch;
pub mod share;
pub mod shared_memory;
pub mod utilization;
pub mod work_capacity;

pub use demand::Demand;
pub use fixed_priority::concurrent;

use gpusched_model::policy::Policy;
use gpusched_model::time::Time;
use gpusched_model::verdict::{Evidence, Verdict};

/// Returns the verdict of `policy` for tasks with `demands` that share a partition of `sms` SMs.
pub fn test(policy: Policy, demands: &[Demand], sms: u32) -> Verdict {
    Verdict::new(policy, evidence(policy, demands, sms))
}

/// Returns the evidence that determines the verdict of [`test`].
pub fn evidence(policy: Policy, demands: &[Demand], sms: u32) -> Evidence {
    match policy {
        Policy::Edf => edf::preemptive::test(demands),
        Policy::NpEdf => edf::non_preemptive::test(demands),
        Policy::LpEdf => edf::limited::test(demands),
        Policy::NpFifo => fifo::test(demands),
        Policy::Concurrent => concurrent::test(demands),
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

/// Returns whether the verdict of [`test`] is "schedulable". The function creates no evidence, so
/// it is fast enough for inner loops.
pub fn accepts(policy: Policy, demands: &[Demand], sms: u32) -> bool {
    match policy {
        Policy::Edf => edf::preemptive::accepts(demands),
        Policy::NpEdf => edf::non_preemptive::accepts(demands),
        Policy::LpEdf => edf::limited::accepts(demands),
        Policy::NpFifo => fifo::accepts(demands),
        Policy::Concurrent => concurrent::accepts(demands),
        Policy::FixedPriority(preemption, priorities) => {
            fixed_priority::accepts(preemption, priorities, demands)
        }
        // The other policies compute their evidence fast and with little memory.
        policy => evidence(policy, demands, sms).is_positive(),
    }
}

/// Returns an upper bound on the response time of each task [ns]. The bounds are exact if the
/// test of `policy` is exact.
///
/// Returns `None` if `policy` has no response-time analysis, or if the analysis finds no bounds.
/// See [`edf::response_times`], [`fixed_priority::response_times`], [`fifo::response_times`] and
/// [`concurrent::response_times`].
pub fn response_times(policy: Policy, demands: &[Demand]) -> Option<Vec<Option<Time>>> {
    match policy {
        Policy::Edf => Some(edf::response_times(demands)?.into_iter().map(Some).collect()),
        Policy::FixedPriority(preemption, priorities) => {
            Some(fixed_priority::response_times(preemption, priorities, demands))
        }
        Policy::NpFifo => Some(fifo::response_times(demands)),
        Policy::Concurrent => Some(concurrent::response_times(demands)),
        _ => None,
    }
}
