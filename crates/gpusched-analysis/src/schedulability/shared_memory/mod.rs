//! Tests for a partition that loses time to others with which it shares a memory ([`crate::interference::bandwidth`]).
//!
//! A job that is not done at the end of a busy window of length t has had t − lost(t) of progress at least. So the work of a
//! window is done, at the latest, at the least t with t ≥ work(t) + lost(t), and the tests are those of [`super::edf`] and
//! [`super::fixed_priority`] with this t for the work. Where kernels have some bandwidth for certain, the same work is also done within
//! the time that all of them take at their slowest; the smaller of the two counts. Sufficient, and where nothing is lost
//! equal to the tests of a partition by itself.
//!
//! What others delay may end between two nanoseconds. So the job that blocks a more urgent one may have all of its time left, not
//! 1 ns less.

mod contended;
mod edf;
mod fixed_priority;
mod window;

pub use contended::{Contended, STEP_LIMIT};

use gpusched_model::policy::{Policy, Preemption, Strength};
use gpusched_model::verdict::{Evidence, Verdict};

/// The verdict of `policy`, for which there must be a proof ([`Policy::shares_memory`]).
pub fn test(policy: Policy, tasks: &Contended<'_>, sms: u32) -> Verdict {
    if let Some(slowest) = tasks.slowest {
        // A task that is missing there would take no time.
        assert_eq!(
            slowest.len(),
            tasks.demands.len(),
            "the same tasks at their slowest"
        );
    }
    // What fails without disturbance fails with it, and for a better reason.
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
        _ => Evidence::BoundExceeded, // nothing is proven
    };
    Verdict {
        strength: Strength::Sufficient,
        ..Verdict::new(policy, evidence)
    }
}
