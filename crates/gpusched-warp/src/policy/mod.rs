//! Warp scheduling policies, which select the warp of a sub-core that issues next.
//!
//! Each file implements one policy: [`Lrr`], [`Gto`], [`Oldest`], [`RtPaws`] and [`Qaws`]. The last two are rules for
//! the end of a turn within [`Turns`]. [`of`] creates the policy of a [`Scheduler`].

mod any;
mod gto;
mod lrr;
mod oldest;
mod order;
mod pool;
mod qaws;
mod rt_paws;
mod set;
mod turns;

pub use any::{AnyPolicy, of, of_slots_from};
pub use gto::Gto;
pub use lrr::Lrr;
pub use oldest::Oldest;
pub use pool::Pool;
pub use qaws::Qaws;
pub use rt_paws::RtPaws;
pub use set::WarpSet;
pub use turns::{TurnRule, Turns};

/// A warp scheduling policy with the scheduler state of one sub-core.
///
/// In each cycle, the sub-core calls [`Policy::begin`] once. It then calls [`Policy::first`] until it finds a warp that
/// can issue; it may remove a candidate and call again. If a warp issues, the sub-core calls [`Policy::issued`].
///
/// The caller may skip a cycle without change for the policy. In such a cycle, no warp can issue, no warp issued in the
/// previous cycle, and [`Pool`] equals its state at the last call of [`Policy::begin`].
pub trait Policy {
    /// Starts a cycle when the warps of `ready` can issue.
    fn begin(&mut self, pool: &Pool, ready: WarpSet);

    /// Returns the first of `candidates` in the order of this cycle; `None` if `candidates` is empty.
    fn first(&self, pool: &Pool, candidates: WarpSet) -> Option<usize>;

    /// Records that the warp in `slot` issues in this cycle.
    fn issued(&mut self, pool: &Pool, slot: usize);
}
