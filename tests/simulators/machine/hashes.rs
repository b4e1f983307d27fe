//! Hashes of addresses: remainders of polynomials, and hashes computed by hand.

use gpusched::gpu::machine::Hash;

/// Largest value of the address bits above the bits of a bucket.
const MOST: u64 = (1 << 51) - 1;

/// Returns the bucket of the address with the bits `index` above the lowest 7 bits, and with the bits `higher` above `index`.
fn ipoly(index: u32, higher: u64, buckets: u32) -> u32 {
    let address = (higher << buckets.ilog2() | u64::from(index)) << 7;
    Hash::Ipoly.bucket(address, 7, buckets)
}

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
        for higher in (0..1_u64 << 20).step_by(7).chain([MOST, 1 << 18, 1 << 19]) {
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
