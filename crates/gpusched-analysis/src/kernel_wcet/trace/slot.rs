//! One measurement per block. A measurement uses four bytes if all measurements of the slot fit
//! into four bytes.

/// One measurement per block [ns]. At first, all measurements of the slot are from one run. Random sampling may replace
/// some of them by measurements of later runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Slot {
    /// All measurements are below 2^32 ns.
    Narrow(Vec<u32>),
    /// Some measurements may be 2^32 ns or more.
    Wide(Vec<u64>),
}

impl Slot {
    pub(super) fn new(values: &[u64]) -> Slot {
        let narrow: Result<Vec<u32>, _> = values.iter().map(|&value| u32::try_from(value)).collect();
        narrow.map_or_else(|_| Slot::Wide(values.to_vec()), Slot::Narrow)
    }

    /// Returns the measurement of `block`, which must exist. A missing measurement would count as
    /// a time of 0.
    pub(super) fn get(&self, block: usize) -> u64 {
        match self {
            Slot::Narrow(values) => values[block].into(),
            Slot::Wide(values) => values[block],
        }
    }

    pub(super) fn set(&mut self, block: usize, value: u64) {
        match (&mut *self, u32::try_from(value)) {
            (Slot::Narrow(values), Ok(value)) => values[block] = value,
            (Slot::Narrow(values), Err(_)) => {
                let mut wide: Vec<u64> = values.iter().map(|&value| value.into()).collect();
                wide[block] = value;
                *self = Slot::Wide(wide);
            }
            (Slot::Wide(values), _) => values[block] = value,
        }
    }
}
