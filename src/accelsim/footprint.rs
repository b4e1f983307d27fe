//! Which memory was touched, in sectors of 32 bytes.

use std::collections::HashMap;

/// Bytes of a sector: what caches fetch and DRAM transfers.
pub(super) const SECTOR: u64 = 32;

/// The sectors that one access touches: at most two for each lane.
#[derive(Debug, Default)]
pub(super) struct Sectors(Vec<u64>);

impl Sectors {
    /// The numbers of the sectors that `bytes` at each of `addresses` touch, ascending, each once.
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

/// A set of sectors, a bit each, in pages of 4 KiB.
#[derive(Debug, Default)]
pub(super) struct Footprint {
    pages: HashMap<u64, u128>,
}

impl Footprint {
    pub(super) fn add(&mut self, sectors: &[u64]) {
        for sector in sectors {
            *self.pages.entry(sector / 128).or_default() |= 1 << (sector % 128);
        }
    }

    /// Bytes of all its sectors.
    pub(super) fn bytes(&self) -> u64 {
        self.pages
            .values()
            .map(|page| u64::from(page.count_ones()) * SECTOR)
            .sum()
    }
}
