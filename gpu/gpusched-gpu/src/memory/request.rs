//! Requests of the memory system. Each request accesses one sector.

/// Size of a sector [bytes]. Caches and DRAM transfer whole sectors.
pub const SECTOR: u64 = 32;

/// Size of a cache line [bytes]; a line has four sectors.
pub const LINE: u64 = 128;

/// Size of a request of a memory client [bytes]: a cache line of a CPU core.
pub const CLIENT_BYTES: u64 = 64;

/// Type of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Read of data by an SM.
    Read {
        /// Whether the request and its reply bypass L1.
        past_l1: bool,
    },
    /// Write of data by an SM. The reply is an acknowledgment.
    Write,
    /// Read-modify-write by L2. The request bypasses L1, and the reply contains data.
    Atomic,
    /// Write of a dirty line from L2 to DRAM. L2 receives no reply.
    WriteBack {
        /// Number of dirty sectors, 1 to 4.
        sectors: u8,
    },
    /// Access of a memory client to DRAM, past L2.
    Client {
        /// Whether the request writes.
        writes: bool,
    },
}

/// Request for one sector, or write-back of one line.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// Address of the first byte of the sector. For a write-back, address of the line.
    pub address: u64,
    /// Accessed bytes of the sector, one bit per byte.
    pub bytes: u32,
    /// Type of the request.
    pub kind: Kind,
    /// Index of the kernel that sent the request. For a write-back, index of the last kernel that wrote to the line. The
    /// indices of memory clients follow the indices of the kernels.
    pub kernel: u8,
    /// SM that sent the request.
    pub sm: u16,
    /// Slot of the warp on the SM.
    pub slot: u8,
    /// Number, on the SM, of the in-flight instruction that causes the request.
    pub flight: u32,
    /// L2 slice that serves the request.
    pub slice: u8,
    /// Number of lanes whose accesses the request contains. Only atomics use this number.
    pub lanes: u8,
}

impl Request {
    /// Returns whether the request transfers data to memory.
    pub fn writes(&self) -> bool {
        matches!(
            self.kind,
            Kind::Write | Kind::WriteBack { .. } | Kind::Client { writes: true }
        )
    }

    /// Returns whether a memory client sent the request.
    pub fn is_of_client(&self) -> bool {
        matches!(self.kind, Kind::Client { .. })
    }

    /// Returns whether the request and its reply bypass L1.
    pub fn is_past_l1(&self) -> bool {
        matches!(self.kind, Kind::Atomic | Kind::Read { past_l1: true })
    }

    /// Returns the index of the sector in its line.
    pub fn sector(&self) -> usize {
        (self.address / SECTOR % (LINE / SECTOR)) as usize
    }
}
