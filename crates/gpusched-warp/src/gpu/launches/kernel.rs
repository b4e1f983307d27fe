//! A kernel to simulate.

use std::sync::Arc;

use crate::code::{BlockKey, Stream, Unlike};
use gpusched_model::machine::BlockNeed;

/// The source of a kernel's instructions.
pub trait Source: Send + Sync {
    /// Returns the instruction streams of a block, one per warp.
    ///
    /// # Errors
    /// Fails with a reason if the instructions are not available, for example because a trace cannot be read.
    fn warps(&self, block: u64) -> Result<Vec<Box<dyn Stream + Send>>, String>;

    /// Returns the key of a block. Blocks with equal keys execute alike on equal SMs, and they have no effect outside
    /// their SM.
    ///
    /// # Errors
    /// Fails with a reason if gpusched cannot prove this property for the blocks of the kernel. The result is the same
    /// for all blocks: either all calls succeed, or all calls fail.
    fn key(&self, block: u64) -> Result<BlockKey, Unlike>;

    /// Returns the number of instructions that the warps of a middle block issue; stops at `most`. `None` if the count
    /// would consume the source.
    fn some_block(&self, most: u64) -> Option<u64> {
        let _ = most;
        None
    }

    /// Returns the same kernel with shortened loops and the original number of rounds of the shortest loop. Loops that
    /// run at least `least` rounds are shortened, so that the shortest of them runs `rounds`. `None` if no such loop is
    /// known.
    fn shortened(&self, least: u64, rounds: u64) -> Option<(Arc<dyn Source>, u64)> {
        let _ = (least, rounds);
        None
    }
}

/// A kernel to simulate.
pub struct Launch {
    /// Name of the kernel in results.
    pub name: String,
    /// Number of blocks.
    pub blocks: u64,
    /// Resources that a block needs on an SM.
    pub need: BlockNeed,
    /// First core cycle when blocks may start.
    pub at: u64,
    /// Maximum number of resident blocks per SM, if lower than the hardware limit.
    pub resident: Option<u32>,
    /// Issue budget or priority, for policies that use one.
    pub budget: u32,
    /// SMs that the kernel may use, one flag each; `None` permits all SMs.
    pub sms: Option<Vec<bool>>,
    /// Source of the instructions.
    pub source: Arc<dyn Source>,
}
