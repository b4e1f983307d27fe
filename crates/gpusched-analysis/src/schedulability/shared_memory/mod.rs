//! Tests for a partition that other partitions delay through a shared memory ([`crate::interference::bandwidth`]).
//!
//! Let lost(t) be the interference delay in a window of length t. In a busy window of length t,
//! the partition makes progress for at least t − lost(t). So the partition completes the work of
//! a window by the least t with t ≥ work(t) + lost(t). The tests of [`super::edf`] and
//! [`super::fixed_priority`] use this t as the end of the work.
//!
//! If all kernels have a guaranteed bandwidth, the partition also completes the work within the sum of their WCETs at
//! this bandwidth. The tests use the smaller of the two times. The tests are sufficient. If the interference delay is
//! 0, these tests equal the tests in isolation.
//!
//! An interference delay may end between two whole nanoseconds. So the remaining time of a
//! blocking job may be its full WCET. In isolation, the remaining time is at least
//! 1 ns shorter than the WCET.

mod contended;
mod edf;
mod fixed_priority;
mod window;

pub use contended::{Contended, STEP_LIMIT};

use gpusched_model::policy::{Policy, Preemption, Strength};
use gpusched_model::verdict::{Evidence, Verdict};

/// Returns the verdict of `policy`, which must have a proof for shared memory
/// ([`Policy::shares_memory`]).
pub fn test(policy: Policy, tasks: &Contended<'_>, sms: u32) -> Verdict {
    if let Some(slowest) = tasks.slowest {
        // If a task were missing in `slowest`, its execution time would count as 0.
        assert_eq!(
            slowest.len(),
            tasks.demands.len(),
            "the same tasks at their guaranteed bandwidth"
        );
    }
    // A set that fails without interference delay also fails with interference delay. The evidence of the failure
    // without interference delay is stronger.
    let alone = super::evidence(policy, tasks.demands, sms);
    if tasks.undisturbed() || !alone.is_positive() {
        return Verdict::new(policy, alone);
    }
    let evidence = match policy {
        Policy::Edf => edf::test(tasks, |_| 0),
        Policy::NpEdf => edf::test(tasks, |task| task.wcet.ns()),
        Policy::FixedPriority(Preemption::Preemptive, priorities) => {
            fixed_priority::test(tasks, false, priorities)
        }
        Policy::FixedPriority(Preemption::NonPreemptive, priorities) => {
            fixed_priority::test(tasks, true, priorities)
        }
        _ => Evidence::BoundExceeded, // the policy has no proof for shared memory
    };
    Verdict {
        strength: Strength::Sufficient,
        ..Verdict::new(policy, evidence)
    }
}

/// Returns whether the verdict of [`test`] is "schedulable", or `None` if the test is inconclusive. The function creates no
/// evidence, and rejects an overloaded partition at once, for searches.
pub fn answer(policy: Policy, tasks: &Contended<'_>, sms: u32) -> Option<bool> {
    if matches!(policy, Policy::Edf | Policy::NpEdf) && tasks.is_overloaded() {
        return Some(false);
    }
    let verdict = test(policy, tasks, sms);
    match verdict.evidence {
        Evidence::Undecided { .. } => None,
        _ => Some(verdict.schedulable),
    }
}
