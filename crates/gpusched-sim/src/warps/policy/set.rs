//! Set of warp slots.

/// Set of at most 64 warp slots of a sub-core or an SM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WarpSet(pub u64);

impl WarpSet {
    /// Maximum number of slots.
    pub const CAPACITY: usize = 64;

    /// Returns whether `slot` is in the set; false if `slot` exceeds the capacity.
    #[inline]
    pub fn contains(self, slot: usize) -> bool {
        slot < Self::CAPACITY && self.0 >> slot & 1 == 1
    }

    /// Returns whether the set is empty.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Adds `slot` to the set. Has no effect if `slot` exceeds the capacity.
    #[inline]
    pub fn insert(&mut self, slot: usize) {
        if slot < Self::CAPACITY {
            self.0 |= 1 << slot;
        }
    }

    /// Removes `slot` from the set.
    #[inline]
    pub fn remove(&mut self, slot: usize) {
        if slot < Self::CAPACITY {
            self.0 &= !(1 << slot);
        }
    }

    /// Returns the slots that are in both sets (intersection).
    #[must_use]
    #[inline]
    pub fn and(self, other: WarpSet) -> WarpSet {
        WarpSet(self.0 & other.0)
    }

    /// Returns the slots that are in at least one of the sets (union).
    #[must_use]
    #[inline]
    pub fn or(self, other: WarpSet) -> WarpSet {
        WarpSet(self.0 | other.0)
    }

    /// Returns the slots that are in this set but not in `other`.
    #[must_use]
    #[inline]
    pub fn without(self, other: WarpSet) -> WarpSet {
        WarpSet(self.0 & !other.0)
    }

    /// Returns the lowest slot in the set; `None` if the set is empty.
    #[inline]
    pub fn lowest(self) -> Option<usize> {
        (self.0 != 0).then(|| self.0.trailing_zeros() as usize)
    }

    /// Returns the slots of the set that are at least `slot`. The result is empty if `slot`
    /// exceeds the capacity.
    #[must_use]
    #[inline]
    pub fn from(self, slot: usize) -> WarpSet {
        match slot < Self::CAPACITY {
            true => WarpSet(self.0 >> slot << slot),
            false => WarpSet(0),
        }
    }

    /// Returns the slots of the set in ascending order.
    #[inline]
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

impl FromIterator<usize> for WarpSet {
    /// Creates a set from an iterator. Slots beyond the capacity are ignored.
    #[inline]
    fn from_iter<I: IntoIterator<Item = usize>>(slots: I) -> WarpSet {
        let mut set = WarpSet::default();
        slots.into_iter().for_each(|slot| set.insert(slot));
        set
    }
}
