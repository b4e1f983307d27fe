//! A row of a trace: one execution of one thread block.

use super::Level;

/// One execution of one thread block.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Number of the run that contains this execution. Within a file, each run of an interference
    /// level has its own number.
    pub run: u64,
    /// Number of the block, counted from 0.
    pub block: u64,
    /// Start of the block [ns], measured on one clock for all blocks of the run. `None` if
    /// unknown.
    pub start: Option<u64>,
    /// Duration of the block [ns]; from 1 to 2^40.
    pub duration: u64,
    /// Interference level of the run.
    pub level: Level,
}
