//! One execution of one thread block.

use super::Level;

/// One execution of one thread block.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The execution of the kernel that it belongs to: any number, one per execution and level within a file.
    pub run: u64,
    /// The number of the block, from 0.
    pub block: u64,
    /// When it started [ns], on a clock that all blocks of the run share; `None` if not known.
    pub start: Option<u64>,
    /// How long it took [ns]; from 1 to 2^40.
    pub duration: u64,
    /// With or without interference.
    pub level: Level,
}
