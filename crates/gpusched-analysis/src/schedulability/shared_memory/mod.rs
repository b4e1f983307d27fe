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
//! blocking job may be its full WCET. Without such delays, the remaining time is at least
//! 1 ns shorter than the WCET ([`Demand::lead`]).

mod contended;
mod edf;
mod fixed_priority;
mod window;

pub use contended::{Contended, STEP_LIMIT};

use super::Demand;
use gpusched_model::policy::{Policy, Preemption, Strength};
use gpusched_model::time::Time;
use gpusched_model::verdict::{Evidence, Verdict};

/// Returns the verdict of `policy`, which must have a proof for shared memory
/// ([`Policy::shares_memory`]).
pub fn test(policy: Policy, tasks: &Contended<'_>, sms: u32) -> Verdict {
    let verdict = test_by_steps(policy, tasks, sms);
    let undecided = matches!(verdict.evidence, Evidence::Undecided { .. });
    match blocking(policy) {
        Some(blocking) if undecided && !tasks.undisturbed() && edf::fails_early(tasks, blocking) => Verdict {
            strength: Strength::Sufficient,
            ..Verdict::new(policy, Evidence::BoundExceeded)
        },
        _ => verdict,
    }
}

/// Returns the longest time for which a job of a task blocks jobs with earlier deadlines under EDF [ns]. Returns `None`
/// for other policies.
fn blocking(policy: Policy) -> Option<fn(&Demand) -> u64> {
    match policy {
        Policy::Edf => Some(|_| 0),
        Policy::NpEdf => Some(|task| task.wcet.ns()),
        _ => None,
    }
}

/// Returns the verdict of [`test`]. If the test reaches its step limit, the function does not examine early deadlines.
fn test_by_steps(policy: Policy, tasks: &Contended<'_>, sms: u32) -> Verdict {
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
    let runs_on = matches!(
        policy,
        Policy::NpEdf | Policy::FixedPriority(Preemption::NonPreemptive, _)
    );
    let sufficient = |evidence| Verdict {
        strength: Strength::Sufficient,
        ..Verdict::new(policy, evidence)
    };
    if tasks.undisturbed() || !alone.is_positive() {
        // If jobs may start between two nanoseconds, no schedule reaches the blocking that the test counts.
        return match runs_on && tasks.demands.iter().any(|demand| demand.lead == Time::ZERO) {
            true => sufficient(alone),
            false => Verdict::new(policy, alone),
        };
    }
    sufficient(match (policy, blocking(policy)) {
        (_, Some(blocking)) => edf::test(tasks, blocking),
        (Policy::FixedPriority(_, priorities), _) => fixed_priority::test(tasks, runs_on, priorities),
        _ => Evidence::BoundExceeded, // the policy has no proof for shared memory
    })
}

/// Returns whether the verdict of [`test`] is "schedulable", or `None` if the test is inconclusive. The function creates no
/// evidence, and rejects an overloaded partition at once, for searches. It does not examine early deadlines.
pub fn answer(policy: Policy, tasks: &Contended<'_>, sms: u32) -> Option<bool> {
    if matches!(policy, Policy::Edf | Policy::NpEdf) && tasks.is_overloaded() {
        return Some(false);
    }
    let verdict = test_by_steps(policy, tasks, sms);
    match verdict.evidence {
        Evidence::Undecided { .. } => None,
        _ => Some(verdict.schedulable),
    }
}
