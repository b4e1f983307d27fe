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

mod edf;
mod fixed_priority;
mod window;

use super::Demand;
use crate::interference::bandwidth::Delay;
use gpusched_model::policy::{Policy, Preemption, Strength};
use gpusched_model::verdict::{Evidence, Verdict};

/// Steps of one test after which it gives up as [`Evidence::Undecided`]; a step is O(n).
pub const STEP_LIMIT: u64 = 100_000;

/// What a partition has to cope with.
#[derive(Copy, Clone, Debug)]
pub struct Contended<'a> {
    /// What its tasks ask for when nobody disturbs them.
    pub demands: &'a [Demand],
    /// The same tasks at their slowest, if there is such a time.
    pub slowest: Option<&'a [Demand]>,
    /// The time that it loses to others.
    pub delay: &'a Delay,
}

impl Contended<'_> {
    /// Whether others can hold up anything at all.
    fn undisturbed(&self) -> bool {
        self.delay.is_none() || self.slowest.is_some_and(|slowest| slowest == self.demands)
    }
}

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
