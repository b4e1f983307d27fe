//! Events in the slices of L2 and in the DRAM channels, which the meter of memory traffic counts for each kernel.

/// Access of a request to a slice of L2.
#[derive(Debug, Clone, Copy)]
pub struct LookedUp {
    /// Index of the kernel that sent the request.
    pub kernel: u8,
    /// Whether the request makes the sector dirty.
    pub writes: bool,
    /// Whether the sector was absent.
    pub missed: bool,
    /// If the access evicts a dirty line: the last kernel that wrote to this line, and the number of dirty sectors.
    pub evicted: Option<(u8, u8)>,
}

/// Transfer of a sector between a DRAM channel and L2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Index of the kernel that caused the transfer.
    pub kernel: u8,
    /// Number of the bank in its channel.
    pub bank: u8,
    /// Whether the transfer writes to DRAM.
    pub writes: bool,
}

/// Commands that a DRAM channel issues in one cycle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Issued {
    /// Transfer that starts in this cycle.
    pub column: Option<Column>,
    /// Index of the kernel whose request opens a row in this cycle.
    pub activation: Option<u8>,
}
