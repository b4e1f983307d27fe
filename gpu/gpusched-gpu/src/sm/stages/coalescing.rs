//! Coalescing of the accesses of a warp. The result is the required sectors, or the required cycles of shared memory.

use crate::code::Effect;
use crate::memory::request::SECTOR;
use crate::sm::flight::Access;

/// Computes the sectors that an instruction accesses, in ascending order of addresses. Each lane
/// accesses `bytes` bytes.
pub fn sectors(effect: &Effect, bytes: u8, accesses: &mut Vec<Access>) {
    accesses.clear();
    if !neighbours(effect, bytes, accesses) && !aligned(effect.lanes, &effect.addresses, bytes, accesses) {
        accesses.clear();
        scattered(effect.lanes, &effect.addresses, bytes, accesses);
    }
}

/// Handles accesses of 32 lanes to adjacent words that cover whole sectors. Returns `false` for
/// accesses of any other kind.
fn neighbours(effect: &Effect, bytes: u8, accesses: &mut Vec<Access>) -> bool {
    let first = effect.addresses[0];
    let width = u64::from(bytes);
    let whole = effect.lanes == u32::MAX
        && effect.stride == Some(i64::from(bytes))
        && [1, 2, 4, 8, 16, 32].contains(&width)
        && first.is_multiple_of(SECTOR)
        && first < 1 << 63;
    if whole {
        accesses.extend((0..width).map(|sector| Access {
            address: first + sector * SECTOR,
            bytes: u32::MAX,
            lanes: (SECTOR / width) as u8,
        }));
    }
    whole
}

/// Handles accesses to aligned words. An aligned word lies within one sector. Returns `false` for
/// accesses of any other kind.
fn aligned(lanes: u32, addresses: &[u64; 32], bytes: u8, accesses: &mut Vec<Access>) -> bool {
    let width = u64::from(bytes);
    if ![1, 2, 4, 8, 16, 32].contains(&width) {
        return false;
    }
    let odd = match lanes {
        u32::MAX => runs(addresses, width, accesses),
        _ => words(of_lanes(lanes, addresses), width, accesses),
    };
    if accesses.windows(2).any(|pair| pair[0].address >= pair[1].address) {
        merge(accesses);
    }
    !odd
}

/// Adds the same accesses as [`words`], for a full warp of 32 lanes. For speed, the function processes each sequence of
/// consecutive or equal words at once.
fn runs(addresses: &[u64; 32], width: u64, accesses: &mut Vec<Access>) -> bool {
    let mut odd = 0;
    let mut rest = &addresses[..];
    while let [first, ..] = *rest {
        let apart = |step: u64| {
            rest.windows(2)
                .take_while(move |pair| pair[1].wrapping_sub(pair[0]) == step)
        };
        let (count, bytes) = match rest.get(1).map(|next| next.wrapping_sub(first)) {
            Some(0) => (1 + apart(0).count(), width),
            Some(step) if step == width && first < 1 << 63 => {
                let count = 1 + apart(width).count();
                (count, count as u64 * width)
            }
            _ => (1, width),
        };
        odd |= first & (width - 1);
        touch(first, bytes, count as u64 * width / bytes, width, accesses);
        rest = rest.get(count..).unwrap_or_default();
    }
    odd != 0
}

/// Adds an access to the `bytes` bytes from address `first` on. `lanes` lanes access each word of `width` bytes.
fn touch(first: u64, bytes: u64, lanes: u64, width: u64, accesses: &mut Vec<Access>) {
    let (mut at, mut left) = (first, bytes);
    while left > 0 {
        let from = at % SECTOR;
        let here = left.min(SECTOR - from);
        let (sector, lanes) = (at - from, (lanes * here / width) as u8);
        let mask = (((1_u64 << here) - 1) << from) as u32;
        match accesses.last_mut().filter(|last| last.address == sector) {
            Some(last) => {
                last.bytes |= mask;
                last.lanes += lanes;
            }
            None => accesses.push(Access {
                address: sector,
                bytes: mask,
                lanes,
            }),
        }
        at = at.wrapping_add(here);
        left -= here;
    }
}

/// Returns the addresses of the lanes in the bit mask `lanes`.
fn of_lanes(lanes: u32, addresses: &[u64; 32]) -> impl Iterator<Item = u64> {
    let mut rest = lanes;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros() as usize;
        rest &= rest.wrapping_sub(1);
        addresses.get(lane).copied()
    })
}

/// Adds accesses to words of `width` bytes. Merges consecutive accesses to the same sector.
/// Returns whether at least one word is not aligned to its width.
fn words(addresses: impl Iterator<Item = u64>, width: u64, accesses: &mut Vec<Access>) -> bool {
    let word = ((1_u64 << width) - 1) as u32;
    let mut odd = 0;
    let (mut last, mut bytes, mut lanes) = (u64::MAX, 0, 0);
    for address in addresses {
        let sector = address & !(SECTOR - 1);
        if sector != last {
            let address = last;
            put(
                accesses,
                Access {
                    address,
                    bytes,
                    lanes,
                },
            );
            (last, bytes, lanes) = (sector, 0, 0);
        }
        odd |= address & (width - 1);
        // No overflow is possible here: the shift stays within the sector, and a warp has at most 32 lanes.
        bytes |= word.wrapping_shl((address % SECTOR) as u32);
        lanes = u8::wrapping_add(lanes, 1);
    }
    let address = last;
    put(
        accesses,
        Access {
            address,
            bytes,
            lanes,
        },
    );
    odd != 0
}

/// Merges all accesses to the same sector, and sorts the accesses by address.
fn merge(accesses: &mut Vec<Access>) {
    accesses.sort_unstable_by_key(|access| access.address);
    accesses.dedup_by(|next, first| {
        let same = next.address == first.address;
        if same {
            first.bytes |= next.bytes;
            first.lanes += next.lanes;
        }
        same
    });
}

/// Handles accesses of every kind, lane by lane. Adjacent lanes often access the same sector, so
/// the function first tries the sector of the previous lane.
fn scattered(lanes: u32, addresses: &[u64; 32], bytes: u8, accesses: &mut Vec<Access>) {
    let width = u64::from(bytes).max(1);
    let word = (1_u64 << width.min(SECTOR)) - 1;
    let mut last = Access {
        address: u64::MAX,
        bytes: 0,
        lanes: 0,
    };
    let mut touch = |sector: u64, bytes: u64| {
        if last.address != sector {
            put(accesses, last);
            last = take(accesses, sector);
        }
        last.bytes |= bytes as u32;
        last.lanes += 1;
    };
    let mut rest = lanes;
    while rest != 0 {
        let first = addresses[rest.trailing_zeros() as usize];
        rest &= rest - 1;
        let mut sector = first & !(SECTOR - 1);
        let mut from = first - sector;
        let mut left = width;
        while left > SECTOR - from {
            touch(sector, word << from);
            left -= SECTOR - from;
            from = 0;
            sector = sector.wrapping_add(SECTOR);
        }
        touch(sector, word >> (width.min(SECTOR) - left.min(SECTOR)) << from);
    }
    put(accesses, last);
    accesses.sort_unstable_by_key(|access| access.address);
}

/// Removes and returns the access to `sector`. Returns an empty access if `accesses` does not contain this sector.
fn take(accesses: &mut Vec<Access>, sector: u64) -> Access {
    match accesses.iter().rposition(|access| access.address == sector) {
        Some(index) => accesses.swap_remove(index),
        None => Access {
            address: sector,
            bytes: 0,
            lanes: 0,
        },
    }
}

/// Adds `access` if at least one lane takes part in the access.
fn put(accesses: &mut Vec<Access>, access: Access) {
    if access.lanes > 0 {
        accesses.push(access);
    }
}

/// Computes the sector accesses of an atomic. If several lanes access the same bytes, each of
/// these lanes requires a separate access.
pub fn atomics(lanes: u32, addresses: &[u64; 32], bytes: u8, accesses: &mut Vec<Access>) {
    accesses.clear();
    for lane in (0..32).filter(|lane| lanes >> lane & 1 == 1) {
        let address = addresses[lane];
        let sector = address & !(SECTOR - 1);
        let from = address - sector;
        let to = (from + u64::from(bytes)).min(SECTOR);
        let mask = ((1_u64 << to) - (1_u64 << from)) as u32;
        match accesses
            .iter_mut()
            .find(|access| access.address == sector && access.bytes & mask == 0)
        {
            Some(access) => {
                access.bytes |= mask;
                access.lanes += 1;
            }
            None => accesses.push(Access {
                address: sector,
                bytes: mask,
                lanes: 1,
            }),
        }
    }
    accesses.sort_by_key(|access| access.address);
}

/// Returns the number of cycles that an access occupies a shared memory with `banks` banks. The result is the largest
/// number of distinct words in one bank.
pub fn conflicts(lanes: u32, addresses: &[u64; 32], banks: u32) -> u32 {
    match banks {
        32 if one_word_per_bank(lanes, addresses) => 1,
        _ => most_words(lanes, addresses, banks),
    }
}

/// Returns whether each of the 32 banks serves at most one word.
fn one_word_per_bank(lanes: u32, addresses: &[u64; 32]) -> bool {
    let mut words = [u64::MAX; 32]; // `u64::MAX` means no word, because words are at most 2^62
    let mut rest = lanes;
    while rest != 0 {
        let word = addresses[rest.trailing_zeros() as usize] / 4;
        rest &= rest - 1;
        let place = &mut words[(word % 32) as usize];
        if *place != word && *place != u64::MAX {
            return false;
        }
        *place = word;
    }
    true
}

/// Returns the largest number of distinct words that one bank serves; at least 1.
fn most_words(lanes: u32, addresses: &[u64; 32], banks: u32) -> u32 {
    let mut words: Vec<u64> = (0..32)
        .filter(|lane| lanes >> lane & 1 == 1)
        .map(|lane| addresses[lane] / 4)
        .collect();
    words.sort_unstable();
    words.dedup();
    let mut counts = vec![0_u32; banks as usize];
    for word in words {
        counts[(word % u64::from(banks)) as usize] += 1;
    }
    counts.into_iter().max().unwrap_or(0).max(1)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    /// Returns accesses of several kinds: adjacent, strided, to a few words, and random.
    fn effects() -> impl Iterator<Item = Effect> {
        let mut state = 11_u64;
        let mut random = move |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        (0..5_000).map(move |_| {
            let first = random(64) * [1, 4, 32][random(3) as usize];
            let stride = [0, 1, 2, 3, 4, 8, 16, 32, 64, 128, 132][random(11) as usize];
            let apart = random(4) > 0;
            let addresses = std::array::from_fn(|lane| match apart {
                true => first + stride * lane as u64,
                false => first + random(4096),
            });
            Effect {
                lanes: [u32::MAX, u32::MAX, random(1 << 32) as u32][random(3) as usize],
                addresses,
                stride: apart.then_some(stride as i64),
                ..Effect::default()
            }
        })
    }

    /// Reference implementation that handles each byte separately.
    fn slow(effect: &Effect, bytes: u8) -> Vec<Access> {
        let mut sectors: BTreeMap<u64, (u32, BTreeSet<usize>)> = BTreeMap::new();
        for lane in (0..32).filter(|lane| effect.lanes >> lane & 1 == 1) {
            for byte in (0..u64::from(bytes)).map(|byte| effect.addresses[lane] + byte) {
                let (touched, lanes) = sectors.entry(byte / SECTOR * SECTOR).or_default();
                *touched |= 1 << (byte % SECTOR);
                lanes.insert(lane);
            }
        }
        let access = |(address, (bytes, lanes)): (u64, (u32, BTreeSet<usize>))| Access {
            address,
            bytes,
            lanes: lanes.len() as u8,
        };
        sectors.into_iter().map(access).collect()
    }

    #[test]
    fn sectors_are_those_of_each_byte() {
        let (mut found, mut simple) = (0, 0);
        for effect in effects() {
            for bytes in [1, 2, 4, 8, 16, 32, 100] {
                let mut accesses = Vec::new();
                found += usize::from(neighbours(&effect, bytes, &mut accesses));
                sectors(&effect, bytes, &mut accesses);
                assert_eq!(accesses, slow(&effect, bytes), "{effect:?}");
                accesses.clear();
                if aligned(effect.lanes, &effect.addresses, bytes, &mut accesses) {
                    assert_eq!(accesses, slow(&effect, bytes), "{effect:?}");
                    simple += 1;
                }
            }
        }
        assert!(found > 500 && simple > 5_000, "{found} {simple}");
    }

    #[test]
    fn banks_without_conflicts_are_found() {
        let mut found = 0;
        for effect in effects() {
            let most = most_words(effect.lanes, &effect.addresses, 32);
            assert_eq!(conflicts(effect.lanes, &effect.addresses, 32), most, "{effect:?}");
            found += usize::from(most == 1);
        }
        assert!((500..4_500).contains(&found), "{found}");
    }
}
