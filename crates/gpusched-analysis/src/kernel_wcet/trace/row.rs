//! One execution of one thread block.

use super::Level;

/// One execution of one thread block.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Number of the execution of the kernel that the row belongs to. The number is unique for each execution and level within a
    /// file.
    pub run: u64,
    /// Number of the block, counted from 0.
    pub block: u64,
    /// Start of the block [ns], on a clock that all blocks of the run share. `None` if unknown.
    pub start: Option<u64>,
    /// Duration of the block [ns]; from 1 to 2^40.
    pub duration: u64,
    /// Interference level.
    pub level: Level,
}
