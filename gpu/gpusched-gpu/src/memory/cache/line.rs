//! State of the sectors of a cache line.

use super::super::request::{Request, SECTOR};

/// Cache line with its sectors. Sets of sectors are stored with one bit per sector. A sector is
/// reserved (its fill is pending), valid, modified, or invalid.
#[derive(Debug, Clone)]
pub struct Line {
    /// Address of the line.
    pub tag: u64,
    /// Next line in the chain of lines whose addresses have equal hashes.
    pub next: u32,
    /// Index of the set that contains the line.
    pub set: u32,
    pub reserved: u8,
    pub valid: u8,
    pub modified: u8,
    /// Sectors that a read can use even if they are modified.
    pub readable: u8,
    modified_on_fill: u8,
    readable_on_fill: u8,
    bytes_on_fill: bool,
    /// Index of the last kernel that wrote to the line.
    pub writer: u8,
    dirty: [u32; 4],
}

/// Returns the bit that represents the sector of `address` in its line.
pub fn bit(address: u64) -> u8 {
    1 << (address / SECTOR % 4)
}

impl Line {
    /// Creates a line of set `set`. All of its sectors are invalid.
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
            writer: 0,
            dirty: [0; 4],
        }
    }

    /// Clears the states reserved, valid and modified of the sectors in `sectors`.
    pub fn forget(&mut self, sectors: u8) {
        self.reserved &= !sectors;
        self.valid &= !sectors;
        self.modified &= !sectors;
    }

    /// Reserves the sector `bit` until its fill. If the sector was modified, it becomes modified
    /// again after the fill.
    pub fn expect(&mut self, bit: u8) {
        self.modified_on_fill = self.modified_on_fill & !bit | self.modified & bit;
        self.readable_on_fill &= !bit;
        self.readable |= bit;
        self.forget(bit);
        self.reserved |= bit;
    }

    /// Writes data to the sector that `request` accesses.
    pub fn write(&mut self, request: &Request) {
        let (sector, bit) = (request.sector(), bit(request.address));
        self.forget(bit);
        self.modified |= bit;
        self.writer = request.kernel;
        self.dirty[sector] |= request.bytes;
        if self.dirty[sector] == u32::MAX {
            self.readable |= bit;
        }
    }

    /// Updates the state of an absent sector after a write. Reads can use the sector if the write
    /// covers all of its bytes.
    pub fn write_fresh(&mut self, request: &Request) {
        let whole = self.dirty[request.sector()] == u32::MAX;
        set(&mut self.readable, bit(request.address), whole);
    }

    /// Updates the state of a reserved sector after a write. The pending fill completes the
    /// sector.
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

    /// Fills the sectors in `sectors`. `bytes` is a bit mask of the requested bytes, equal for each of these sectors.
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

/// Adds `bit` to `set` if `member` is true, and removes `bit` otherwise.
fn set(set: &mut u8, bit: u8, member: bool) {
    *set = *set & !bit | if member { bit } else { 0 };
}
