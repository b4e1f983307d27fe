//! Requests of the memory system, one sector each.

/// Bytes of a sector, the unit of transfers between caches and DRAM.
pub const SECTOR: u64 = 32;

/// Bytes of a cache line: four sectors.
pub const LINE: u64 = 128;

/// The type of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Read of data by an SM.
    Read,
    /// Write of data by an SM; answered with an acknowledgment.
    Write,
    /// Read-modify-write in L2; answered with data.
    Atomic,
    /// Write of a dirty line from L2 to DRAM, without an answer.
    WriteBack {
        /// Number of dirty sectors, 1 to 4.
        sectors: u8,
    },
}

/// A request for one sector, or the write-back of one line.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// Address of the first byte of the sector; for a write-back, of the line.
    pub address: u64,
    /// Accessed bytes of the sector, one bit each.
    pub bytes: u32,
    /// Type of the request.
    pub kind: Kind,
    /// Whether the answer bypasses L1.
    pub past_l1: bool,
    /// SM that sent the request.
    pub sm: u16,
    /// Warp slot on the SM.
    pub slot: u8,
    /// In-flight instruction of the SM that sent the request.
    pub flight: u32,
    /// L2 slice that receives the request.
    pub slice: u8,
    /// Number of lanes that the request serves; used for atomics.
    pub lanes: u8,
}

impl Request {
    /// Returns whether the request carries data away from the SM.
    pub fn writes(&self) -> bool {
        matches!(self.kind, Kind::Write | Kind::WriteBack { .. })
    }

    /// Returns the index of the sector in its line.
    pub fn sector(&self) -> usize {
        (self.address / SECTOR % (LINE / SECTOR)) as usize
    }
}
