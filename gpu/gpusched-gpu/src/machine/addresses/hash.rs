//! Hash functions that spread addresses over sets, banks or slices.

use serde::{Deserialize, Serialize};

use crate::machine::check::Faults;
use gpusched_model::Refusal;

/// Hash function that maps an address to a set, bank or slice.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Hash {
    /// The result consists of the address bits directly above the offset (GPGPU-Sim: `L` or 0).
    Linear,
    /// The result consists of the address bits directly above the offset, XORed with the next higher bits (GPGPU-Sim:
    /// `X` or 1).
    Xor,
    /// The result consists of the address bits above the offset, reduced modulo an irreducible polynomial over GF(2):
    /// B. R. Rau, ISCA 1991 (GPGPU-Sim: `P` or 2).
    Ipoly,
    /// The hash function of the L1 of Fermi GPUs: C. Nugteren et al., HPCA 2014 (GPGPU-Sim: `H`
    /// or 3).
    Fermi,
}

impl Hash {
    /// Checks that this function can distribute addresses over `buckets` sets, banks or slices.
    pub(in crate::machine) fn check(self, field: &str, buckets: u32, faults: &Faults) -> Result<(), Refusal> {
        let (fits, expected) = match self {
            Hash::Linear | Hash::Xor => (
                buckets.is_power_of_two(),
                "a number of sets, banks or slices that is a power of two",
            ),
            Hash::Ipoly => (
                [16, 32, 64].contains(&buckets),
                "16, 32 or 64 sets, banks or slices",
            ),
            Hash::Fermi => ([32, 64].contains(&buckets), "32 or 64 sets, banks or slices"),
        };
        if fits {
            return Ok(());
        }
        let name = format!("{self:?}").to_lowercase();
        faults.refuse(
            field,
            format!("{name} for {buckets} sets, banks or slices"),
            expected,
        )
    }

    /// Returns the bucket (set, bank or slice) of `address`. The number `buckets` is a power of
    /// two. All addresses in an aligned range of `1 << offset_bits` bytes have the same bucket.
    #[inline]
    pub fn bucket(self, address: u64, offset_bits: u32, buckets: u32) -> u32 {
        let above = address >> offset_bits;
        let index = low(above, buckets);
        self.mix(index, above >> buckets.ilog2(), buckets)
            .unwrap_or_else(|| fermi(address, offset_bits, buckets))
    }

    /// Returns a hash of `index` and the `higher` address bits above `index`. Returns `None` for
    /// [`Hash::Fermi`], which uses the address itself.
    #[inline]
    pub(super) fn mix(self, index: u32, higher: u64, buckets: u32) -> Option<u32> {
        match self {
            Hash::Linear => Some(index),
            Hash::Xor => Some(index ^ low(higher, buckets)),
            Hash::Ipoly => Some(ipoly(index, higher, buckets)),
            Hash::Fermi => None,
        }
    }
}

/// Returns `bits` modulo `buckets`, which is a power of two.
fn low(bits: u64, buckets: u32) -> u32 {
    (bits & u64::from(buckets - 1)) as u32
}

/// Returns the remainder of (higher · xᵏ + index) modulo an irreducible polynomial of degree k over GF(2), for 2ᵏ buckets.
///
/// As in GPGPU-Sim, only the lowest 13, 15 or 19 bits of `higher` affect the result for 16, 32 or 64 buckets,
/// respectively. The remainder of a sum is the sum of the remainders. So the function takes the remainder of each byte
/// from a table and adds these remainders.
fn ipoly(index: u32, higher: u64, buckets: u32) -> u32 {
    const OF_16: [Remainders; 3] = remainders(0b1_0011, 16, 13); // x⁴ + x + 1
    const OF_32: [Remainders; 3] = remainders(0b10_0101, 32, 15); // x⁵ + x² + 1
    const OF_64: [Remainders; 3] = remainders(0b100_0011, 64, 19); // x⁶ + x + 1
    let tables = match buckets {
        16 => &OF_16,
        32 => &OF_32,
        _ => &OF_64,
    };
    let bytes = higher.to_le_bytes();
    index
        ^ u32::from(
            tables[0][usize::from(bytes[0])]
                ^ tables[1][usize::from(bytes[1])]
                ^ tables[2][usize::from(bytes[2])],
        )
}

/// Remainder for each possible value of one byte.
type Remainders = [u8; 256];

/// Computes the tables for the three lowest bytes. The tables take into account only the lowest `bits` bits.
const fn remainders(polynomial: u32, buckets: u32, bits: usize) -> [Remainders; 3] {
    let mut tables = [[0; 256]; 3];
    let mut power = polynomial ^ buckets; // xᵏ
    let mut bit = 0;
    while bit < bits {
        let mut byte = 0;
        while byte < 256 {
            if byte >> (bit % 8) & 1 == 1 {
                tables[bit / 8][byte] ^= power as u8;
            }
            byte += 1;
        }
        power <<= 1;
        if power & buckets != 0 {
            power ^= polynomial;
        }
        bit += 1;
    }
    tables
}

/// Computes the Fermi hash: bits 7–11 of the address, XORed with bits 13, 14, 15, 17 and 19. For 64 sets, bit 12 of the
/// address is the highest bit of the result.
fn fermi(address: u64, offset_bits: u32, buckets: u32) -> u32 {
    let lower = address >> offset_bits & 0x1f;
    let upper = (address >> 13 & 0b111) | (address >> 17 & 1) << 3 | (address >> 19 & 1) << 4;
    let highest = if buckets == 64 {
        (address >> 12 & 1) << 5
    } else {
        0
    };
    (lower ^ upper | highest) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One list for each bit of the hash. For index 0, the bit of the hash is the parity of the listed bits of
    /// `higher`. The author computed the lists on paper from xⁱ mod P.
    const ROWS_32: [&[u32]; 5] = [
        &[0, 3, 5, 6, 9, 10, 11, 12, 13],
        &[1, 4, 6, 7, 10, 11, 12, 13, 14],
        &[0, 2, 3, 6, 7, 8, 9, 10, 14],
        &[1, 3, 4, 7, 8, 9, 10, 11],
        &[2, 4, 5, 8, 9, 10, 11, 12],
    ];

    #[test]
    fn ipoly_is_the_parity_of_its_rows() {
        for higher in (0..1 << 16).chain([u64::MAX, 1 << 40]) {
            for index in [0, 7, 31] {
                let rows = ROWS_32.iter().enumerate();
                let parity = |row: &[u32]| row.iter().fold(0, |sum, bit| sum ^ (higher >> bit & 1) as u32);
                let expected = rows.fold(index, |sum, (bit, row)| sum ^ parity(row) << bit);
                assert_eq!(ipoly(index, higher, 32), expected, "{higher}");
            }
        }
    }

    /// Checks that the tables contain the same remainders as a bit-by-bit computation.
    #[test]
    fn tables_hold_remainders() {
        for (buckets, polynomial, bits) in [(16, 0b1_0011, 13), (32, 0b10_0101, 15), (64, 0b100_0011, 19)] {
            for higher in (0..1_u64 << 20).step_by(7).chain([u64::MAX, 1 << 18, 1 << 19]) {
                let mut rest = (higher & ((1 << bits) - 1)) << u32::ilog2(buckets);
                while let Some(bit) = rest.checked_ilog2().filter(|&bit| bit >= buckets.ilog2()) {
                    rest ^= polynomial << (bit - buckets.ilog2());
                }
                assert_eq!(
                    u64::from(ipoly(5, higher, buckets)),
                    rest ^ 5,
                    "{higher} of {buckets}"
                );
            }
        }
    }

    /// Checks that accesses with a power-of-two stride use all buckets before they use a bucket again. This property is
    /// the purpose of the hash.
    #[test]
    fn ipoly_spreads_strides() {
        for (buckets, bits) in [(16_u32, 13), (32, 15), (64, 19)] {
            let degree = buckets.ilog2();
            for shift in 0..=bits {
                let hit = (0..u64::from(buckets)).fold(0_u64, |hit, step| {
                    let line = step << shift;
                    hit | 1 << Hash::Ipoly.bucket(line << 7, 7, buckets)
                });
                assert_eq!(
                    hit.count_ones(),
                    buckets,
                    "{buckets} buckets, stride 2^{shift} (degree {degree})"
                );
            }
        }
    }

    #[test]
    fn linear_xor_and_fermi_by_hand() {
        let address = 0b1010_1101_0110_1000_0000; // bits 7 9 10 12 14 15 17 19
        assert_eq!(Hash::Linear.bucket(address, 7, 32), 0b01101);
        assert_eq!(Hash::Xor.bucket(address, 7, 32), 0b01101 ^ 0b01101);
        assert_eq!(Hash::Xor.bucket(address, 7, 8), 0b101 ^ 0b101);
        assert_eq!(Hash::Fermi.bucket(address, 7, 32), 0b01101 ^ 0b11110);
        assert_eq!(Hash::Fermi.bucket(address, 7, 64), 0b01101 ^ 0b11110 | 0b10_0000);
    }
}
