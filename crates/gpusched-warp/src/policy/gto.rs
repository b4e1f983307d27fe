//! Greedy, then oldest.

use super::{Policy, Pool, WarpSet};

/// GTO (MODELS §8; `order_by_priority` of GPGPU-Sim): the warp that issued last as long as it can, else the oldest. It remains
/// the greedy one while nothing issues; before anything has issued, it is the one in slot 0.
#[derive(Debug, Clone, Default)]
pub struct Gto {
    greedy: usize,
}

impl Gto {
    /// Of a sub-core whose first slot is not 0 but `first`.
    pub fn from_slot(first: usize) -> Gto {
        Gto { greedy: first }
    }
}

impl Policy for Gto {
    fn begin(&mut self, _: &Pool, _: WarpSet) {}

    fn first(&self, pool: &Pool, candidates: WarpSet) -> Option<usize> {
        match candidates.contains(self.greedy) {
            true => Some(self.greedy),
            false => pool.oldest(candidates),
        }
    }

    fn issued(&mut self, _: &Pool, slot: usize) {
        self.greedy = slot;
    }
}
