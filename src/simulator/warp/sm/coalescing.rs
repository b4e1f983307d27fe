//! Which sectors, and how many cycles of shared memory, the lanes of a warp need.

use super::super::request::SECTOR;
use super::flight::Access;

/// The sectors that the lanes of `lanes` touch with `bytes` bytes each, ascending.
pub fn sectors(lanes: u32, addresses: &[u64; 32], bytes: u8, accesses: &mut Vec<Access>) {
    accesses.clear();
    let mut rest = lanes;
    while rest != 0 {
        let lane = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        let first = addresses[lane];
        let last = first.saturating_add(u64::from(bytes).saturating_sub(1));
        let mut sector = first & !(SECTOR - 1);
        loop {
            let from = first.max(sector) - sector;
            let to = last.min(sector + (SECTOR - 1)) - sector;
            let mask = ((1_u64 << (to + 1)) - (1_u64 << from)) as u32;
            touch(accesses, sector, mask);
            if last - sector < SECTOR {
                break;
            }
            sector += SECTOR;
        }
    }
    accesses.sort_unstable_by_key(|access| access.address);
}

/// Adds to the sector's access; a warp's lanes mostly follow one another, so it is found from the end.
fn touch(accesses: &mut Vec<Access>, sector: u64, mask: u32) {
    match accesses.iter_mut().rev().find(|access| access.address == sector) {
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

/// The sectors of an atomic: lanes that touch the same bytes need one access each.
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

/// The cycles that shared memory of `banks` banks needs: the most different words of one bank.
pub fn conflicts(lanes: u32, addresses: &[u64; 32], banks: u32) -> u32 {
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
