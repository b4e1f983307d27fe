//! Greedy-then-oldest policy (GTO).

use super::{Policy, Pool, WarpSet};

/// GTO ([Singh21] §4.2; `order_by_priority` of GPGPU-Sim). The greedy warp is the warp that
/// issued last. GTO selects the greedy warp if it can issue, and the oldest warp otherwise. The
/// greedy warp does not change in cycles without an issue. Before the first issue, the warp in
/// slot 0 is the greedy warp.
#[derive(Debug, Clone, Default)]
pub struct Gto {
    greedy: usize,
}

impl Gto {
    /// Creates the policy for a sub-core whose first slot is `first`. The warp in this slot is
    /// the first greedy warp.
    pub fn from_slot(first: usize) -> Gto {
        Gto { greedy: first }
    }
}

impl Policy for Gto {
    #[inline]
    fn begin(&mut self, _: &Pool, _: WarpSet) {}

    #[inline]
    fn first(&self, pool: &Pool, candidates: WarpSet) -> Option<usize> {
        match candidates.contains(self.greedy) {
            true => Some(self.greedy),
            false => pool.oldest(candidates),
        }
    }

    #[inline]
    fn issued(&mut self, _: &Pool, slot: usize) {
        self.greedy = slot;
    }
}
