//! Tests inside one partition: a uniprocessor whose tasks take C(m) each ([Singh21] §3.5.5).
//!
//! Every test maps the demands of the tasks to [`Evidence`], from which the verdict follows.
//! * [`edf`]: preemptive earliest deadline first, exact (QPA);
//! * [`work_capacity`]: necessary conditions, one reading of [Singh21]'s experiment.

pub mod demand;
pub mod edf;
pub mod work_capacity;

pub use demand::Demand;

use crate::model::policy::Policy;
use crate::model::verdict::{Evidence, Verdict};

/// The verdict of `policy` on tasks with these demands, sharing a partition of `sms` SMs.
pub fn test(policy: Policy, demands: &[Demand], sms: u32) -> Verdict {
    Verdict::new(policy, evidence(policy, demands, sms))
}

/// The evidence alone, without building a verdict: for inner loops.
pub fn evidence(policy: Policy, demands: &[Demand], sms: u32) -> Evidence {
    match policy {
        Policy::Edf => edf::test(demands),
        Policy::WorkCapacity => work_capacity::test(demands, sms),
        Policy::WorkCapacityDeadline => work_capacity::test_with_deadlines(demands, sms),
    }
}

/// Whether the verdict is "schedulable", without building evidence: for inner loops.
pub fn accepts(policy: Policy, demands: &[Demand], sms: u32) -> bool {
    evidence(policy, demands, sms).is_positive()
}
