//! Which warp of a sub-core issues next.
//!
//! One file per policy: [`Lrr`], [`Gto`], [`Oldest`]; and [`RtPaws`] and [`Qaws`], which are rules of when a turn ends within
//! one frame, [`Turns`]. [`of`] makes the one that a [`Scheduler`] names.

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

/// A warp scheduling policy: the state of one sub-core's scheduler.
///
/// Each cycle the sub-core calls [`Policy::begin`] once, then [`Policy::first`] until it finds a warp that can issue
/// (it may strike out a candidate and ask again), then [`Policy::issued`] if there is one.
///
/// Cycles may be left out in which nothing changes for the policy: no warp can issue, none issued in the cycle before, and
/// [`Pool`] is as it was at the last call of [`Policy::begin`].
pub trait Policy {
    /// A cycle begins in which the warps of `ready` can issue.
    fn begin(&mut self, pool: &Pool, ready: WarpSet);

    /// The first of `candidates` in this cycle's order; `None` of none.
    fn first(&self, pool: &Pool, candidates: WarpSet) -> Option<usize>;

    /// The warp in `slot` issues in this cycle.
    fn issued(&mut self, pool: &Pool, slot: usize);
}
