//! Instructions that the warps of one thread block executed.

use super::{Access, Dimension};

/// Execution of one instruction by a warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// Index of the instruction in the [`Code`] of the trace.
    pub instruction: u32,
    /// Lanes that executed the instruction, one bit per lane; 0 if all lanes were predicated off.
    pub lanes: u32,
    /// Index of the memory access among all accesses of the warp, if the instruction has addresses.
    pub(super) access: u32,
}

/// Instructions that one warp executed, in order.
#[derive(Debug, Clone, Default)]
pub struct Warp {
    pub(super) records: Vec<Record>,
    pub(super) accesses: Vec<Access>,
    pub(super) listed: Vec<u64>,
}

impl Warp {
    /// Returns the executed instructions in the order of execution.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Writes the address of each lane of `record` to `addresses` [bytes]. The record must belong to this warp. The
    /// entries of all other lanes stay unchanged. Returns false if the trace contains no addresses for the record.
    pub fn addresses(&self, record: &Record, addresses: &mut [u64; 32]) -> bool {
        let access = self.accesses.get(record.access as usize);
        if let Some(access) = access {
            access.expand(record.lanes, &self.listed, addresses);
        }
        access.is_some()
    }
}

/// Instructions that the warps of one thread block executed.
#[derive(Debug, Clone)]
pub struct Block {
    pub(super) position: Dimension,
    pub(super) number: u64,
    pub(super) warps: Vec<Warp>,
}

impl Block {
    /// Returns the position of the block in the grid.
    pub fn position(&self) -> Dimension {
        self.position
    }

    /// Returns the linear number of the block in the grid, from 0. The x dimension varies fastest.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns all warps in order, including warps that did not execute any instruction.
    pub fn warps(&self) -> &[Warp] {
        &self.warps
    }

    /// Consumes the block and returns all of its warps.
    pub fn into_warps(self) -> Vec<Warp> {
        self.warps
    }
}
