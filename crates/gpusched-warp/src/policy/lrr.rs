//! Loose round robin.

use super::{Policy, Pool, WarpSet};

/// LRR (MODELS §8; `order_lrr` of GPGPU-Sim): the slots in circular order, beginning after the warp that issued last. Where
/// nothing issues, the order stays; it is an order of slots, whatever the age of the warps in them.
#[derive(Debug, Clone, Default)]
pub struct Lrr {
    /// One after the slot that issued last; at first, the first slot.
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
