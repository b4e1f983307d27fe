//! The state of a line's sectors.

use super::super::request::{Request, SECTOR};

/// A line, with its sectors as sets of one bit each. A sector is reserved (on its way), valid, modified, or none of these.
#[derive(Debug, Clone)]
pub struct Line {
    /// Its address.
    pub tag: u64,
    /// The next line whose address has the same hash.
    pub next: u32,
    /// Its set.
    pub set: u32,
    pub reserved: u8,
    pub valid: u8,
    pub modified: u8,
    /// Those that can be read if they are modified.
    pub readable: u8,
    modified_on_fill: u8,
    readable_on_fill: u8,
    bytes_on_fill: bool,
    dirty: [u32; 4],
}

/// The sector of `address` in its line, as a set.
pub fn bit(address: u64) -> u8 {
    1 << (address / SECTOR % 4)
}

impl Line {
    /// One of `set` of which nothing is here.
    pub fn new(tag: u64, next: u32, set: u32) -> Self {
        Self {
            tag,
            next,
            set,
            reserved: 0,
            valid: 0,
            modified: 0,
            readable: 0b1111,
            modified_on_fill: 0,
            readable_on_fill: 0,
            bytes_on_fill: false,
            dirty: [0; 4],
        }
    }

    /// `sectors` are none of reserved, valid and modified any more.
    fn forget(&mut self, sectors: u8) {
        self.reserved &= !sectors;
        self.valid &= !sectors;
        self.modified &= !sectors;
    }

    /// The sector `bit` is on its way from now on; if it is modified, it will be again.
    pub fn expect(&mut self, bit: u8) {
        self.modified_on_fill = self.modified_on_fill & !bit | self.modified & bit;
        self.readable_on_fill &= !bit;
        self.readable |= bit;
        self.forget(bit);
        self.reserved |= bit;
    }

    /// Data are written into the sector of `request`.
    pub fn write(&mut self, request: &Request) {
        let (sector, bit) = (request.sector(), bit(request.address));
        self.forget(bit);
        self.modified |= bit;
        self.dirty[sector] |= request.bytes;
        if self.dirty[sector] == u32::MAX {
            self.readable |= bit;
        }
    }

    /// After a write to a sector that was not here: it can be read if it was written as a whole.
    pub fn write_fresh(&mut self, request: &Request) {
        let whole = self.dirty[request.sector()] == u32::MAX;
        set(&mut self.readable, bit(request.address), whole);
    }

    /// After a write to a sector that is on its way: what arrives completes it.
    pub fn write_pending(&mut self, request: &Request) {
        let bit = bit(request.address);
        self.modified_on_fill |= bit;
        self.bytes_on_fill = true;
        if request.bytes != u32::MAX {
            let whole = self.dirty[request.sector()] == u32::MAX;
            set(&mut self.readable, bit, whole);
            self.readable_on_fill |= bit;
        }
    }

    /// `sectors` arrived, one bit each; `bytes` of each were asked for.
    pub fn fill(&mut self, sectors: u8, bytes: u32) {
        self.forget(sectors);
        self.modified |= sectors & self.modified_on_fill;
        self.valid |= sectors & !self.modified_on_fill;
        self.readable |= sectors & self.readable_on_fill;
        self.readable_on_fill &= !sectors;
        if self.bytes_on_fill {
            for sector in (0..4).filter(|sector| sectors >> sector & 1 == 1) {
                self.dirty[sector] |= bytes;
            }
        }
    }
}

/// Puts `bit` into `set`, or takes it out.
fn set(set: &mut u8, bit: u8, member: bool) {
    *set = *set & !bit | if member { bit } else { 0 };
}
