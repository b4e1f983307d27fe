//! Greedy-then-oldest policy (GTO).

use super::{Policy, Pool, WarpSet};

/// GTO (MODELS §8; `order_by_priority` of GPGPU-Sim): selects the warp that issued last if it can issue, and otherwise
/// the oldest warp. The greedy warp does not change in cycles without an issue. Before the first issue, the greedy warp
/// is in slot 0.
#[derive(Debug, Clone, Default)]
pub struct Gto {
    greedy: usize,
}

impl Gto {
    /// Creates the policy for a sub-core whose first slot is `first` instead of 0.
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
