//! A set of warp slots.

/// A set of warp slots of one sub-core, at most 64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WarpSet(pub u64);

impl WarpSet {
    /// The most slots a sub-core has.
    pub const CAPACITY: usize = 64;

    /// Whether `slot` is in the set; false beyond the capacity.
    pub fn contains(self, slot: usize) -> bool {
        slot < Self::CAPACITY && self.0 >> slot & 1 == 1
    }

    /// Whether no slot is in the set.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The slots, ascending.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let mut bits = self.0;
        std::iter::from_fn(move || {
            if bits == 0 {
                return None;
            }
            let slot = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            Some(slot)
        })
    }
}
