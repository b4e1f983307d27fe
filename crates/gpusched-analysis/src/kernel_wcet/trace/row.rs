//! One execution of one thread block.

use super::Level;

/// One execution of one thread block.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Execution of the kernel that the row belongs to: any number, unique per execution and level within a file.
    pub run: u64,
    /// Number of the block, from 0.
    pub block: u64,
    /// Start [ns] on a clock that all blocks of the run share; `None` if unknown.
    pub start: Option<u64>,
    /// Duration [ns]; from 1 to 2^40.
    pub duration: u64,
    /// Interference level.
    pub level: Level,
}
