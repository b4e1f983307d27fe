//! What a policy knows of the warps of one sub-core.

use super::WarpSet;

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

impl Pool {
    /// The age of the warp in `slot`; a slot that there is not is younger than all.
    pub(super) fn age_of(&self, slot: usize) -> u64 {
        self.age.get(slot).copied().unwrap_or(u64::MAX)
    }

    /// The oldest of `warps`; of equal ages, the lower slot.
    pub fn oldest(&self, warps: WarpSet) -> Option<usize> {
        warps.iter().min_by_key(|&slot| self.age_of(slot))
    }

    /// Those of `warps` that are in `group`.
    pub fn of_group(&self, warps: WarpSet, group: usize) -> WarpSet {
        let members = warps.iter().filter(|&slot| self.group.get(slot) == Some(&group));
        members.collect()
    }
}
