//! Extraction of numbers whose bits are not adjacent in an address.

/// Extracts from a word the bits that a mask selects. In the result, these bits keep their order and have the lowest
/// positions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Gather {
    runs: Box<[Run]>,
}

/// A run of adjacent bits of a mask.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Run {
    /// Mask that selects the run in the word.
    mask: u64,
    /// Number of bit positions by which `Gather` shifts the run to the right.
    shift: u32,
}

impl Gather {
    pub fn new(mask: u64) -> Gather {
        let mut runs = Vec::new();
        let (mut rest, mut place) = (mask, 0);
        while rest != 0 {
            let first = rest.trailing_zeros();
            let length = (rest >> first).trailing_ones();
            let run = u64::MAX >> (64 - length) << first;
            runs.push(Run {
                mask: run,
                shift: first - place,
            });
            place += length;
            rest &= !run;
        }
        Gather { runs: runs.into() }
    }

    #[inline]
    pub fn of(&self, word: u64) -> u64 {
        self.runs
            .iter()
            .fold(0, |sum, run| sum | (word & run.mask) >> run.shift)
    }
}

/// Returns a mask of the lowest `count` bits that are set in `mask`.
pub(super) fn lowest_bits(mask: u64, count: u32) -> u64 {
    let mut rest = mask;
    for _ in 0..count {
        rest &= rest.wrapping_sub(1);
    }
    mask & !rest
}

/// Inserts `width` zeros into `mask` at bit `at`. Discards all bits beyond bit 63.
pub(super) fn insert_gap(mask: u64, at: u32, width: u32) -> u64 {
    let below = (1_u64 << at) - 1;
    (mask & !below) << width | mask & below
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gathers_bit_by_bit() {
        let slowly = |mask: u64, word: u64| {
            let bits = (0..64).filter(|bit| mask >> bit & 1 == 1).enumerate();
            bits.fold(0, |sum, (place, bit)| sum | (word >> bit & 1) << place)
        };
        let masks = [
            0,
            1,
            1 << 63,
            u64::MAX,
            0x7080,
            0xffff_8000,
            0x5555_5555_5555_5555,
            0xf0f0_0001_8000_0001,
        ];
        for mask in masks {
            let mut word = 0x9e37_79b9_7f4a_7c15_u64;
            for _ in 0..100 {
                word = word.wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ word >> 31;
                assert_eq!(
                    Gather::new(mask).of(word),
                    slowly(mask, word),
                    "{mask:x} {word:x}"
                );
            }
        }
    }

    #[test]
    fn masks_by_hand() {
        assert_eq!(lowest_bits(0x7080, 2), 0x1080);
        assert_eq!(lowest_bits(0x7080, 0), 0);
        assert_eq!(lowest_bits(0x1, 3), 1);
        assert_eq!(insert_gap(0x7080, 8, 4), 0x7_0080);
    }
}
