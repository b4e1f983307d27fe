//! Conclusion from a verified plan under the stated premises.

use super::Stated;
use crate::{Verified, hardware};
use gpusched_model::plan::{Failure, Plan};
use gpusched_model::policy::Strength;
use gpusched_model::{MemoryTime, Policy};

/// Conclusion from a verified plan.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Conclusion<'p> {
    /// All tasks meet their deadlines.
    Schedulable,
    /// Nothing, because the test of a partition is only a necessary condition.
    Necessary,
    /// Nothing, because memory times are only tested, and the user does not state their form. If partitions have their
    /// own L2 ways, the user must also state this.
    Tested(MemoryTime),
    /// Nothing, because the rate of kernels that run together is only tested, and the user does not state their policy.
    SerialSum,
    /// No plan exists, for this reason.
    NoPlan(&'p Failure),
    /// The plan claims that its lower bound excludes every plan, but `verify` does not confirm this bound.
    Unconfirmed,
    /// The search found no plan. A plan may still exist.
    Open,
}

impl Stated {
    /// Returns what `plan` proves, which `verified` confirms.
    pub fn conclusion<'p>(&self, plan: &'p Plan, verified: &Verified) -> Conclusion<'p> {
        let necessary =
            { plan.partitions.iter() }.any(|partition| partition.verdict.strength == Strength::NecessaryOnly);
        let together = { plan.partitions.iter() }.any(|partition| partition.verdict.policy.runs_together());
        // The default variation was tested, and a smaller one was not.
        let tested = plan.variation_percent >= Some(Policy::VARIATION) || self.variation.is_some();
        let serial = self.policy.is_some() && tested;
        let accepts = |time: &MemoryTime| self.memory_time.is_some() && (!time.own_l2 || self.own_l2);
        let times = plan.memory.and_then(|memory| memory.time);
        let proven = verified.bound.as_ref().and_then(|bound| bound.proven);
        match (&plan.failure, times.filter(|time| !accepts(time))) {
            _ if plan.schedulable && necessary => Conclusion::Necessary,
            (_, Some(time)) if plan.schedulable => Conclusion::Tested(time),
            _ if plan.schedulable && together && !serial => Conclusion::SerialSum,
            _ if plan.schedulable => Conclusion::Schedulable,
            (None | Some(Failure::HeuristicFailed), _) => Conclusion::Open,
            (Some(failure @ Failure::BoundExceedsGpu), _) => {
                match proven.is_some_and(|sms| sms > hardware::capacity(plan)) {
                    true => Conclusion::NoPlan(failure),
                    false => Conclusion::Unconfirmed,
                }
            }
            (Some(failure), _) => Conclusion::NoPlan(failure),
        }
    }
}
