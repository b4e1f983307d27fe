//! Memory footprint, in sectors of 32 bytes.

use std::collections::HashMap;

/// Size of a sector [bytes]. Caches fetch whole sectors, and DRAM transfers whole sectors.
pub(super) const SECTOR: u64 = 32;

/// Sector numbers that one instruction accesses; at most two sectors per lane.
#[derive(Debug, Default)]
pub(super) struct Sectors(Vec<u64>);

impl Sectors {
    /// Returns the sector numbers of accesses to `bytes` bytes at each of `addresses`. The numbers are ascending and
    /// unique.
    pub(super) fn of(&mut self, addresses: impl Iterator<Item = u64>, bytes: u8) -> &[u64] {
        self.0.clear();
        for address in addresses {
            let first = address / SECTOR;
            let last = address.saturating_add(u64::from(bytes.saturating_sub(1))) / SECTOR;
            for sector in first..=last {
                if self.0.last() != Some(&sector) {
                    self.0.push(sector);
                }
            }
        }
        if !self.0.is_sorted() {
            self.0.sort_unstable();
        }
        self.0.dedup();
        &self.0
    }
}

/// Number of sectors in a page.
const PAGE: u64 = 128;

/// Set of sectors, stored as pages. A page covers 4 KiB of memory and has one bit per sector.
#[derive(Debug, Default)]
pub(super) struct Footprint {
    pages: HashMap<u64, u128>,
}

impl Footprint {
    /// Adds `sectors`, which must be in ascending order.
    pub(super) fn add(&mut self, sectors: &[u64]) {
        for page in sectors.chunk_by(|a, b| a / PAGE == b / PAGE) {
            let bits = page.iter().fold(0, |bits, sector| bits | 1 << (sector % PAGE));
            let number = page.first().map_or(0, |sector| sector / PAGE);
            *self.pages.entry(number).or_default() |= bits;
        }
    }

    /// Returns the total size of all sectors in the set [bytes].
    pub(super) fn bytes(&self) -> u64 {
        let sectors = self.pages.values().map(|page| u64::from(page.count_ones()));
        sectors.sum::<u64>() * SECTOR
    }
}
