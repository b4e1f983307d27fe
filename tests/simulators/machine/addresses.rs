//! Compares the address decoder with a bit-by-bit reference implementation.

use std::collections::HashSet;

use gpusched::gpu::Machine;
use gpusched::gpu::machine::{AddressMapping, Hash, Location, Memory, PartitionIndexing};

/// Returns addresses that are close to each other, far apart, and at the limits.
fn addresses() -> impl Iterator<Item = u64> {
    let mut word = 0x1234_5678_9abc_def0_u64;
    let scattered = std::iter::from_fn(move || {
        word = word
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        Some(word)
    });
    let near = (0..1 << 14).map(|sector| 0x7f00_0000 + 32 * sector);
    let powers = (0..64).map(|bit| 1 << bit);
    near.chain(scattered.take(4096))
        .chain(powers)
        .chain([0, u64::MAX])
}

/// Collects the bits of `word` at the positions of the letter `wanted`, from bit 0 on.
fn gather(letters: &[char], wanted: &str, word: u64) -> u64 {
    let bits = (0..64)
        .filter(|&bit| wanted.contains(letters[63 - bit]))
        .enumerate();
    bits.fold(0, |sum, (place, bit)| sum | (word >> bit & 1) << place)
}

/// Returns the remainder of a polynomial over GF(2) by long division.
fn remainder(dividend: u128, divisor: u128) -> u32 {
    let degree = divisor.ilog2();
    let mut rest = dividend;
    while rest >> degree != 0 {
        rest ^= divisor << (rest.ilog2() - degree);
    }
    rest as u32
}

fn ipoly(index: u32, higher: u64, buckets: u32) -> u32 {
    let (divisor, bits) = match buckets {
        16 => (19, 13),
        32 => (37, 15),
        64 => (67, 19),
        other => panic!("{other}"),
    };
    let higher = u128::from(higher & ((1 << bits) - 1));
    remainder(higher << buckets.ilog2() | u128::from(index), divisor)
}

/// Returns the lowest bit above which the channel is, and the letter of each bit, from bit 63 on.
fn letters(memory: &Memory) -> (u32, Vec<char>) {
    let text = memory.mapping.to_string();
    let (start, letters) = text.split_once(';').unwrap();
    let start = start.strip_prefix("dramid@").unwrap().parse().unwrap();
    (start, letters.chars().filter(|letter| *letter != '.').collect())
}

/// Decodes an address with the letters of the mapping, the address without channel (as in GPGPU-Sim), and the channel.
fn slowly(memory: &Memory, (start, letters): &(u32, Vec<char>), address: u64) -> Location {
    let channels = u64::from(memory.channels);
    let above = address >> start;
    // For a power of two, the division removes the channel bits from the middle of the address.
    let mut channel = (above % channels) as u32;
    let quotient = above / channels;
    let rest = quotient << start | address & ((1 << start) - 1);
    let (bank, row) = (gather(letters, "B", rest) as u32, gather(letters, "R", rest));
    let count = memory.slices_per_channel;
    // Without a division, GPGPU-Sim also drops the slice bits from the value that it mixes in.
    let higher = if channels.is_power_of_two() {
        quotient / u64::from(count)
    } else {
        quotient
    };
    let mut slice = channel * count + bank % count;
    match memory.indexing {
        PartitionIndexing::Consecutive => {}
        PartitionIndexing::Xor => {
            channel ^= (higher % channels) as u32;
            slice = channel * count + bank % count;
        }
        PartitionIndexing::Ipoly => {
            let buckets = memory.channels.next_power_of_two() * count;
            slice = ipoly(slice, higher, buckets) % memory.slices();
            channel = slice / count;
        }
    }
    let banks = memory.dram.timing.banks;
    Location {
        channel,
        slice,
        bank: match memory.dram.bank_index {
            Hash::Linear => bank,
            Hash::Xor => bank ^ (row % u64::from(banks)) as u32,
            Hash::Ipoly => ipoly(bank, row, banks),
            Hash::Fermi => panic!(),
        },
        row,
        column: gather(letters, "CS", rest),
    }
}

#[test]
fn decoding_agrees_with_bit_by_bit() {
    let mut cases = 0;
    for name in ["rtx2060", "titanv"] {
        for channels in [8, 12, 16, 24] {
            for slices_per_channel in [1, 2, 4] {
                for indexing in [
                    PartitionIndexing::Consecutive,
                    PartitionIndexing::Xor,
                    PartitionIndexing::Ipoly,
                ] {
                    for bank_index in [Hash::Linear, Hash::Xor, Hash::Ipoly] {
                        let mut shape = Machine::named(name).unwrap().into_shape();
                        shape.memory.channels = channels;
                        shape.memory.slices_per_channel = slices_per_channel;
                        shape.memory.indexing = indexing;
                        shape.memory.dram.bank_index = bank_index;
                        let Ok(machine) = Machine::new(shape) else {
                            continue;
                        };
                        let decoder = machine.memory.decoder();
                        let letters = letters(&machine.memory);
                        for address in addresses() {
                            let place = decoder.locate(address);
                            // With a power of two of channels, the letters of the mapping are shifted up, and the top
                            // letters are lost.
                            if channels.is_power_of_two() && address >> 60 != 0 {
                                continue;
                            }
                            assert_eq!(
                                place,
                                slowly(&machine.memory, &letters, address),
                                "{address:x} {:?}",
                                machine.memory
                            );
                            assert_eq!(decoder.slice(address), place.slice);
                            assert!(place.slice < machine.memory.slices() && place.bank < 16);
                        }
                        cases += 1;
                    }
                }
            }
        }
    }
    assert!(cases > 60, "{cases}");
}

/// `golden`: sub-partition = ((address >> 8) % 12) · 2 + ((address >> 7) & 1).
#[test]
fn slices_of_the_rtx2060() {
    let decoder = Machine::named("rtx2060").unwrap().memory.decoder();
    for address in addresses() {
        let expected = ((address >> 8) % 12) * 2 + (address >> 7 & 1);
        assert_eq!(u64::from(decoder.slice(address)), expected, "{address:x}");
    }
    // Partition camping: a stride of 3072 bytes stays in one slice.
    for stride in [3072, 61_440] {
        let slices: HashSet<u32> = (0..1000)
            .map(|step| decoder.slice(0x1000 + step * stride))
            .collect();
        assert_eq!(slices.len(), 1, "{stride}");
    }
    let slices: HashSet<u32> = (0..24).map(|line| decoder.slice(line * 128)).collect();
    assert_eq!(slices.len(), 24);
}

#[test]
fn titanv_spreads_strides() {
    let decoder = Machine::named("titanv").unwrap().memory.decoder();
    for stride in [128_u64, 256, 3072, 6144, 1 << 12, 1 << 16] {
        let slices: HashSet<u32> = (0..4096).map(|step| decoder.slice(step * stride)).collect();
        assert!(slices.len() >= 24, "{stride}: {}", slices.len());
    }
}

/// Two sectors never have the same place, neither in memory nor within their slice.
#[test]
fn no_two_addresses_share_a_place() {
    let memory = Machine::named("rtx2060").unwrap().memory;
    let decoder = memory.decoder();
    let (mut places, mut within) = (HashSet::new(), HashSet::new());
    for sector in 0..1 << 17 {
        let place = decoder.locate(32 * sector);
        assert!(places.insert(place), "{sector}");
        assert!(
            within.insert((place.slice, decoder.within_slice(32 * sector))),
            "{sector}"
        );
    }
    // Therefore each slice uses all sets of its L2.
    let sets: HashSet<u32> = (0..1 << 17)
        .filter(|sector| decoder.slice(32 * sector) == 5)
        .map(|sector| memory.l2.set(decoder.within_slice(32 * sector)))
        .collect();
    assert_eq!(sets.len(), 64);
}

#[test]
fn explicit_channel_bits() {
    let mut shape = Machine::named("rtx2060").unwrap().into_shape();
    shape.memory.mapping = "00000000.00000000.00000000.00000000.RRRRRRRR.RRRRRBBB.CCCDDDCC.BCCSSSSS"
        .parse()
        .unwrap();
    shape.memory.channels = 8;
    let decoder = Machine::new(shape.clone()).unwrap().memory.decoder();
    // R 1, B 010, C 110, D 101, C 11, B 1, C 00, S 00001
    let place = decoder.locate(0b1010_1101_0111_1000_0001);
    let expected = Location {
        channel: 0b101,
        slice: 0b1011,
        bank: 0b0101,
        row: 1,
        column: 0b1101_1000_0001,
    };
    assert_eq!(place, expected);
    shape.memory.channels = 16;
    assert!(
        Machine::new(shape)
            .unwrap_err()
            .to_string()
            .contains("4 letters D")
    );
}

#[test]
fn mappings_are_read_and_written() {
    let text = "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS";
    let mapping: AddressMapping = text.parse().unwrap();
    assert_eq!(mapping.to_string(), text);
    assert_eq!((mapping.channel_start(), mapping.channel_mask()), (Some(8), 0));
    assert_eq!((mapping.bank_mask(), mapping.row_mask()), (0x7080, 0x0fff_8000));
    assert_eq!((mapping.column_mask(), mapping.burst_mask()), (0x0f7f, 0x1f));
    let loose: AddressMapping = text.to_lowercase().replace('.', " | ").parse().unwrap();
    assert_eq!(loose, mapping);
    for (bad, found) in [
        ("", "0 letters"),
        ("dramid@8;RRRR", "4 letters"),
        (&text.replace("dramid@8", "dramid@"), "before the"),
        (&text.replace("dramid@8", "dramid@40"), "before the"),
        (&text.replace("dramid@8", "chip@8"), "before the"),
        (&text.replace('B', "X"), "'X'"),
        (&text.replace('B', "D"), "letter D"),
        (&format!("{text}S"), "more than 64"),
    ] {
        let error = bad.parse::<AddressMapping>().unwrap_err().to_string();
        assert!(error.contains(found), "{bad}: {error}");
    }
}
