//! State of the warps of one sub-core, for use by a policy.

use super::WarpSet;

/// State of the warps of one sub-core, for use by a policy. The vectors are indexed by warp slot.
#[derive(Debug, Clone, Default)]
pub struct Pool {
    /// Age of the warp in each slot. A lower value means that the warp belongs to an earlier
    /// block, or has a lower number within the same block.
    pub age: Vec<u64>,
    /// Index of the kernel of the warp in each slot.
    pub kernel: Vec<usize>,
    /// Slots whose warps have instructions left.
    pub live: WarpSet,
}

impl Pool {
    /// Returns the age of the warp in `slot`. A slot that does not exist counts as the youngest
    /// slot.
    #[inline]
    pub(super) fn age_of(&self, slot: usize) -> u64 {
        self.age.get(slot).copied().unwrap_or(u64::MAX)
    }

    /// Returns the slot of the oldest warp in `warps`. Among warps of equal age, returns the
    /// lowest slot.
    #[inline]
    pub fn oldest(&self, warps: WarpSet) -> Option<usize> {
        warps.iter().min_by_key(|&slot| self.age_of(slot))
    }
}
