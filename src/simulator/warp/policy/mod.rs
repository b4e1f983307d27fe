//! Which warp of a sub-core issues next.

mod set;

pub use set::WarpSet;

/// What a policy knows of the warps of one sub-core, by slot.
#[derive(Debug, Clone, Default)]
pub struct Pool {
    /// Age per slot: the lower, the earlier its block came to the SM (then the lower the warp in its block).
    pub age: Vec<u64>,
    /// Group per slot: the index of the warp's kernel.
    pub group: Vec<usize>,
    /// Slots that hold a warp with instructions left.
    pub live: WarpSet,
}

/// A warp scheduling policy: the state of one sub-core's scheduler.
///
/// Each cycle the sub-core calls [`Policy::begin`] once, then [`Policy::first`] until it finds a warp that can issue
/// (it may strike out a candidate and ask again), then [`Policy::issued`] if there is one.
pub trait Policy {
    /// A cycle begins in which the warps of `ready` can issue.
    fn begin(&mut self, pool: &Pool, ready: WarpSet);

    /// The first of `candidates` in this cycle's order; `None` of none.
    fn first(&self, pool: &Pool, candidates: WarpSet) -> Option<usize>;

    /// The warp in `slot` issues in this cycle.
    fn issued(&mut self, pool: &Pool, slot: usize);
}
