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
