//! Selection of a policy by its name.

use super::{Grouping, Gto, Listing, Lrr, Oldest, Policy, Pool, Printed, Qaws, RtPaws, Turns, WarpSet};
use gpusched_model::Scheduler;

/// Any of the warp scheduling policies. The enum avoids dynamic dispatch of calls.
#[derive(Debug, Clone)]
pub enum AnyPolicy {
    /// Loose round robin.
    Lrr(Lrr),
    /// Greedy-then-oldest.
    Gto(Gto),
    /// Oldest first.
    Oldest(Oldest),
    /// RT-PAWS: warp groups take turns, and the priority of a group limits its turns.
    RtPaws(Turns<RtPaws>),
    /// QAWS: warp groups take turns, and the issue budget of a group limits its turns.
    Qaws(Turns<Qaws>),
    /// RT-PAWS or QAWS as printed.
    Printed(Printed),
}

/// Creates a policy as [`of`] does, for a sub-core whose first slot is `first`.
pub fn of_slots_from(first: usize, scheduler: Scheduler, budgets: &[u32]) -> AnyPolicy {
    match scheduler {
        Scheduler::Gto => AnyPolicy::Gto(Gto::from_slot(first)),
        _ => of(scheduler, budgets),
    }
}

/// Creates the policy `scheduler` in its initial state. `budgets` are the issue budgets of the
/// kernels; for RT-PAWS, their priorities. All other policies ignore `budgets`.
pub fn of(scheduler: Scheduler, budgets: &[u32]) -> AnyPolicy {
    match scheduler {
        Scheduler::Lrr => AnyPolicy::Lrr(Lrr::default()),
        Scheduler::Gto => AnyPolicy::Gto(Gto::default()),
        Scheduler::Oldest => AnyPolicy::Oldest(Oldest),
        Scheduler::RtPaws => AnyPolicy::RtPaws(Turns::new(budgets, Grouping::Kernel)),
        Scheduler::Qaws => AnyPolicy::Qaws(Turns::new(budgets, Grouping::Kernel)),
        Scheduler::RtPawsByPriority => AnyPolicy::RtPaws(Turns::new(budgets, Grouping::Budget)),
        Scheduler::QawsByBudget => AnyPolicy::Qaws(Turns::new(budgets, Grouping::Budget)),
        Scheduler::RtPawsPrinted => AnyPolicy::Printed(Printed::new(Listing::RtPaws, budgets)),
        Scheduler::QawsPrinted => AnyPolicy::Printed(Printed::new(Listing::Qaws, budgets)),
    }
}

impl AnyPolicy {
    /// Returns whether the policy requires a call of [`Policy::begin`] even in cycles when no
    /// warp can issue.
    #[inline]
    pub fn sees_idle_cycles(&self) -> bool {
        match self {
            AnyPolicy::Lrr(_) | AnyPolicy::Gto(_) | AnyPolicy::Oldest(_) => false,
            AnyPolicy::RtPaws(_) | AnyPolicy::Qaws(_) | AnyPolicy::Printed(_) => true,
        }
    }
}

impl Policy for AnyPolicy {
    #[inline]
    fn begin(&mut self, pool: &Pool, ready: WarpSet) {
        match self {
            AnyPolicy::Lrr(policy) => policy.begin(pool, ready),
            AnyPolicy::Gto(policy) => policy.begin(pool, ready),
            AnyPolicy::Oldest(policy) => policy.begin(pool, ready),
            AnyPolicy::RtPaws(policy) => policy.begin(pool, ready),
            AnyPolicy::Qaws(policy) => policy.begin(pool, ready),
            AnyPolicy::Printed(policy) => policy.begin(pool, ready),
        }
    }

    #[inline]
    fn first(&self, pool: &Pool, candidates: WarpSet) -> Option<usize> {
        match self {
            AnyPolicy::Lrr(policy) => policy.first(pool, candidates),
            AnyPolicy::Gto(policy) => policy.first(pool, candidates),
            AnyPolicy::Oldest(policy) => policy.first(pool, candidates),
            AnyPolicy::RtPaws(policy) => policy.first(pool, candidates),
            AnyPolicy::Qaws(policy) => policy.first(pool, candidates),
            AnyPolicy::Printed(policy) => policy.first(pool, candidates),
        }
    }

    #[inline]
    fn issued(&mut self, pool: &Pool, slot: usize) {
        match self {
            AnyPolicy::Lrr(policy) => policy.issued(pool, slot),
            AnyPolicy::Gto(policy) => policy.issued(pool, slot),
            AnyPolicy::Oldest(policy) => policy.issued(pool, slot),
            AnyPolicy::RtPaws(policy) => policy.issued(pool, slot),
            AnyPolicy::Qaws(policy) => policy.issued(pool, slot),
            AnyPolicy::Printed(policy) => policy.issued(pool, slot),
        }
    }

    #[inline]
    fn rest(&mut self, pool: &Pool, cycles: u64) {
        if let AnyPolicy::Printed(policy) = self {
            policy.rest(pool, cycles);
        }
    }
}
