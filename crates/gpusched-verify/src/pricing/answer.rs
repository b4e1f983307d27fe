//! Schedulability test of a candidate partition, with the tests of this crate.

use crate::conditions::demand::Supply;
use crate::conditions::{bounds, concurrent, fifo, response};
use crate::jobs::Job;
use gpusched_model::Policy;

/// Returns whether `jobs` on `sms` SMs pass the test of `policy`, or `None` if the test is
/// inconclusive.
pub(in super::super) fn passes(policy: Policy, jobs: &[Job], sms: u32) -> Option<bool> {
    match policy {
        Policy::Edf | Policy::NpEdf | Policy::LpEdf => match Supply::new(policy, jobs) {
            Ok(supply) => supply.suffices(),
            Err(_) => Some(false), // J ≥ D
        },
        Policy::FixedPriority(preemption, priorities) => response::passes(preemption, priorities, jobs),
        Policy::NpFifo => fifo::passes(jobs),
        Policy::Concurrent => concurrent::passes(jobs),
        Policy::Density | Policy::Hyperbolic | Policy::LiuLayland => bounds::holds(policy, jobs),
        Policy::WorkCapacity => Some(bounds::work_fits(jobs, sms)),
        Policy::WorkCapacityDeadline => {
            Some(bounds::work_fits(jobs, sms) && jobs.iter().all(|job| job.wcet <= job.deadline))
        }
    }
}
