//! What the warps of one thread block executed.

use super::{Access, Dimension};

/// One execution of an instruction by a warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// The number of the instruction in the [`Code`] of its trace.
    pub instruction: u32,
    /// Lanes that executed it, one bit per lane; none if all were predicated off.
    pub lanes: u32,
    /// The number of its addresses within the warp, if it has any.
    pub(super) access: u32,
}

/// What one warp executed, in order.
#[derive(Debug, Clone, Default)]
pub struct Warp {
    pub(super) records: Vec<Record>,
    pub(super) accesses: Vec<Access>,
    pub(super) listed: Vec<u64>,
}

impl Warp {
    /// What it executed, in order.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Fills in the addresses [bytes] of the lanes of `record`, one of this warp; those of other lanes stay as they are. False if the
    /// trace has no addresses for it.
    pub fn addresses(&self, record: &Record, addresses: &mut [u64; 32]) -> bool {
        let access = self.accesses.get(record.access as usize);
        if let Some(access) = access {
            access.expand(record.lanes, &self.listed, addresses);
        }
        access.is_some()
    }
}

/// What the warps of one thread block executed.
#[derive(Debug, Clone)]
pub struct Block {
    pub(super) position: Dimension,
    pub(super) number: u64,
    pub(super) warps: Vec<Warp>,
}

impl Block {
    /// Where it stands in the grid.
    pub fn position(&self) -> Dimension {
        self.position
    }

    /// Its number in the grid, from 0, x fastest.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// All its warps in order, those that executed nothing included.
    pub fn warps(&self) -> &[Warp] {
        &self.warps
    }

    /// Its warps, to be kept.
    pub fn into_warps(self) -> Vec<Warp> {
        self.warps
    }
}
