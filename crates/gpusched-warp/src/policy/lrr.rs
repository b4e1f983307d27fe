//! Loose round-robin policy (LRR).

use super::{Policy, Pool, WarpSet};

/// LRR (MODELS §8; `order_lrr` of GPGPU-Sim): selects slots in circular order, starting after the slot that issued
/// last. The order does not change in cycles without an issue, and it does not depend on the age of the warps.
#[derive(Debug, Clone, Default)]
pub struct Lrr {
    /// Slot after the slot that issued last; initially the first slot.
    start: usize,
}

impl Policy for Lrr {
    fn begin(&mut self, _: &Pool, _: WarpSet) {}

    fn first(&self, _: &Pool, candidates: WarpSet) -> Option<usize> {
        let after = candidates.from(self.start).lowest();
        after.or_else(|| candidates.lowest())
    }

    fn issued(&mut self, _: &Pool, slot: usize) {
        self.start = slot + 1;
    }
}
