//! Loose round-robin policy (LRR).

use super::{Policy, Pool, WarpSet};

/// LRR ([Singh21] §4.2; `order_lrr` of GPGPU-Sim). LRR selects slots in circular order, starting
/// after the slot that issued last. Cycles without an issue do not change the order. The age of
/// the warps has no effect.
#[derive(Debug, Clone, Default)]
pub struct Lrr {
    /// Slot after the slot that issued last; initially slot 0.
    start: usize,
}

impl Policy for Lrr {
    #[inline]
    fn begin(&mut self, _: &Pool, _: WarpSet) {}

    #[inline]
    fn first(&self, _: &Pool, candidates: WarpSet) -> Option<usize> {
        let after = candidates.from(self.start).lowest();
        after.or_else(|| candidates.lowest())
    }

    #[inline]
    fn issued(&mut self, _: &Pool, slot: usize) {
        self.start = slot + 1;
    }
}
