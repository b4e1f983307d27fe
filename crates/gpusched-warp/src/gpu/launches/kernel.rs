//! A kernel to simulate.

use std::sync::Arc;

use crate::code::{BlockKey, Stream, Unlike};
use gpusched_model::machine::BlockNeed;

/// Source of the instructions of a kernel.
pub trait Source: Send + Sync {
    /// Returns the instruction streams of block `block`, one per warp.
    ///
    /// # Errors
    /// Fails with a reason if the instructions are not available, for example because a trace cannot be read.
    fn warps(&self, block: u64) -> Result<Vec<Box<dyn Stream + Send>>, String>;

    /// Returns the key of block `block`. Blocks with equal keys behave alike on equal SMs and
    /// have no effect outside their SM.
    ///
    /// # Errors
    /// Fails with a reason if gpusched cannot prove that two blocks with equal keys behave alike.
    /// For one kernel, the call succeeds for all blocks, or it fails for all blocks.
    fn key(&self, block: u64) -> Result<BlockKey, Unlike>;

    /// Returns the number of instructions that the warps of a block in the middle of the grid
    /// issue. The count stops at `most`. Returns `None` if the source can deliver each block only
    /// once.
    fn some_block(&self, most: u64) -> Option<u64> {
        let _ = most;
        None
    }
}

/// A kernel to simulate.
pub struct Launch {
    /// Name of the kernel in results.
    pub name: String,
    /// Number of thread blocks of the kernel.
    pub blocks: u64,
    /// Resources that each block occupies on an SM.
    pub need: BlockNeed,
    /// First core cycle when blocks of the kernel may start.
    pub at: u64,
    /// Maximum number of resident blocks per SM. `None` means that only the hardware limits apply.
    pub resident: Option<u32>,
    /// Issue budget or priority of the kernel, for scheduling policies that use one.
    pub budget: u32,
    /// Permitted SMs, with one flag per SM. `None` permits all SMs.
    pub sms: Option<Vec<bool>>,
    /// Source of the instructions.
    pub source: Arc<dyn Source>,
}
