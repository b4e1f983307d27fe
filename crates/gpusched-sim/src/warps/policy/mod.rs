//! Warp scheduling policies. A policy selects the warp of a sub-core that issues next.
//!
//! Each file implements one policy: [`Lrr`], [`Gto`], [`Oldest`], [`RtPaws`] and [`Qaws`]. [`RtPaws`] and [`Qaws`]
//! define when a turn ends, and [`Turns`] applies these rules. [`Printed`] is RT-PAWS and QAWS as printed. [`of`]
//! creates the policy of a [`Scheduler`](gpusched_model::Scheduler).
//!
//! The functions of a cycle are inline, because the innermost loop of another crate, the cycle-level GPU, calls them.

mod any;
mod groups;
mod gto;
mod lrr;
mod oldest;
mod pool;
mod printed;
mod qaws;
mod rt_paws;
mod set;
mod turns;

pub use any::{AnyPolicy, of, of_slots_from};
pub use groups::Grouping;
pub use gto::Gto;
pub use lrr::Lrr;
pub use oldest::Oldest;
pub use pool::Pool;
pub use printed::{Listing, Printed};
pub use qaws::Qaws;
pub use rt_paws::RtPaws;
pub use set::WarpSet;
pub use turns::{TurnRule, Turns};

/// Warp scheduling policy, together with its state for one sub-core.
///
/// In each cycle, the sub-core calls [`Policy::begin`] once. The sub-core then calls [`Policy::first`] to find a warp
/// that can issue. If this warp cannot issue, the sub-core removes it from the candidates and calls [`Policy::first`]
/// again. If a warp issues, the sub-core calls [`Policy::issued`].
///
/// The caller may skip a cycle if three conditions hold. No warp can issue, no warp issued in the
/// previous cycle, and [`Pool`] is unchanged since the last call of [`Policy::begin`]. The caller
/// then calls [`Policy::rest`] with the number of skipped cycles.
pub trait Policy {
    /// Starts a cycle where the warps in `ready` can issue.
    fn begin(&mut self, pool: &Pool, ready: WarpSet);

    /// Returns the first warp of `candidates` in the order of this cycle. Returns `None` if
    /// `candidates` is empty.
    fn first(&self, pool: &Pool, candidates: WarpSet) -> Option<usize>;

    /// Records that the warp in `slot` issues in this cycle.
    fn issued(&mut self, pool: &Pool, slot: usize);

    /// Updates the policy for `cycles` skipped cycles. By default, skipped cycles do not affect the policy.
    fn rest(&mut self, _pool: &Pool, _cycles: u64) {}
}
