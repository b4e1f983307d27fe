//! What travels through the memory system: one sector at a time.

/// Bytes of a sector, the unit in which caches and DRAM move data.
pub const SECTOR: u64 = 32;

/// Bytes of a cache line: four sectors.
pub const LINE: u64 = 128;

/// What a request wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Data to an SM.
    Read,
    /// Data from an SM; answered by an acknowledgement.
    Write,
    /// A read-modify-write in L2; answered with data.
    Atomic,
    /// A dirty line on its way from L2 to DRAM; never answered.
    WriteBack {
        /// Dirty sectors it carries, 1 to 4.
        sectors: u8,
    },
}

/// A request for one sector (or the write-back of one line).
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// Address of the sector's first byte (of the line's, for a write-back).
    pub address: u64,
    /// Bytes of the sector it touches, one bit each.
    pub bytes: u32,
    /// What it wants.
    pub kind: Kind,
    /// Whether its answer goes past L1.
    pub past_l1: bool,
    /// SM it comes from.
    pub sm: u16,
    /// Warp slot of the SM.
    pub slot: u8,
    /// The SM's instruction it belongs to.
    pub flight: u32,
    /// Sub-partition it goes to.
    pub slice: u8,
    /// Lanes it serves (atomics count them).
    pub lanes: u8,
}

impl Request {
    /// Whether it carries data away from the SM.
    pub fn writes(&self) -> bool {
        matches!(self.kind, Kind::Write | Kind::WriteBack { .. })
    }

    /// Index of its sector in the line.
    pub fn sector(&self) -> usize {
        (self.address / SECTOR % (LINE / SECTOR)) as usize
    }
}
