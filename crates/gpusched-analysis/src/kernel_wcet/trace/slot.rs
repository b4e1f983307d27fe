//! One measurement of each block, in four bytes where they suffice.

/// One measurement [ns] of each block: those of one run, until a reservoir replaces some.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Slot {
    /// All below 2^32 ns.
    Narrow(Vec<u32>),
    /// Any.
    Wide(Vec<u64>),
}

impl Slot {
    pub(super) fn new(values: &[u64]) -> Slot {
        let narrow: Result<Vec<u32>, _> = values.iter().map(|&value| u32::try_from(value)).collect();
        narrow.map_or_else(|_| Slot::Wide(values.to_vec()), Slot::Narrow)
    }

    /// The measurement of `block`; 0 where there is no such block.
    pub(super) fn get(&self, block: usize) -> u64 {
        match self {
            Slot::Narrow(values) => values.get(block).copied().unwrap_or(0).into(),
            Slot::Wide(values) => values.get(block).copied().unwrap_or(0),
        }
    }

    pub(super) fn set(&mut self, block: usize, value: u64) {
        if let (Slot::Narrow(values), Err(_)) = (&self, u32::try_from(value)) {
            *self = Slot::Wide(values.iter().map(|&value| value.into()).collect());
        }
        match self {
            Slot::Narrow(values) => {
                if let (Some(place), Ok(value)) = (values.get_mut(block), u32::try_from(value)) {
                    *place = value;
                }
            }
            Slot::Wide(values) => {
                if let Some(place) = values.get_mut(block) {
                    *place = value;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_widen_when_they_must() {
        let mut slot = Slot::new(&[1, u32::MAX.into()]);
        assert!(matches!(slot, Slot::Narrow(_)));
        slot.set(0, 1 << 40);
        assert_eq!((slot.get(0), slot.get(1)), (1 << 40, u32::MAX.into()));
        slot.set(1, 7);
        assert_eq!(slot, Slot::new(&[1 << 40, 7]));
    }
}
