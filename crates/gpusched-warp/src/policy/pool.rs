//! The state of the warps of one sub-core, as visible to a policy.

use super::WarpSet;

/// The state of the warps of one sub-core, as visible to a policy, by slot.
#[derive(Debug, Clone, Default)]
pub struct Pool {
    /// Age of the warp in each slot. A lower value means an earlier block, or a lower warp number within a block.
    pub age: Vec<u64>,
    /// Group of the warp in each slot: the index of its kernel.
    pub group: Vec<usize>,
    /// Slots that hold a warp with instructions left.
    pub live: WarpSet,
}

impl Pool {
    /// Returns the age of the warp in `slot`. A slot that does not exist counts as the youngest.
    pub(super) fn age_of(&self, slot: usize) -> u64 {
        self.age.get(slot).copied().unwrap_or(u64::MAX)
    }

    /// Returns the oldest of `warps`; among equal ages, the lowest slot.
    pub fn oldest(&self, warps: WarpSet) -> Option<usize> {
        warps.iter().min_by_key(|&slot| self.age_of(slot))
    }

    /// Returns the warps of `warps` that belong to `group`.
    pub fn of_group(&self, warps: WarpSet, group: usize) -> WarpSet {
        let members = warps.iter().filter(|&slot| self.group.get(slot) == Some(&group));
        members.collect()
    }
}
