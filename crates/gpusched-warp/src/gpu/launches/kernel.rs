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

    /// Returns the key of block `block`. Blocks with equal keys execute alike on equal SMs, and they have no effect
    /// outside their SM.
    ///
    /// # Errors
    /// Fails with a reason if gpusched cannot prove this property for the blocks of the kernel. The call succeeds
    /// for all blocks of a kernel, or it fails for all blocks.
    fn key(&self, block: u64) -> Result<BlockKey, Unlike>;

    /// Returns the number of instructions that the warps of a middle block issue. The count stops at `most`.
    /// Returns `None` if counting would consume the source.
    fn some_block(&self, most: u64) -> Option<u64> {
        let _ = most;
        None
    }

    /// Returns a copy of the kernel with shortened loops, and the original number of rounds of the shortest
    /// affected loop. All loops of at least `least` rounds are shortened in proportion, so that the shortest of
    /// these loops runs `rounds` rounds. Returns `None` if no such loop is known.
    fn shortened(&self, least: u64, rounds: u64) -> Option<(Arc<dyn Source>, u64)> {
        let _ = (least, rounds);
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
    /// Issue budget or priority of the kernel, for policies that use it.
    pub budget: u32,
    /// Permitted SMs, with one flag per SM. `None` permits all SMs.
    pub sms: Option<Vec<bool>>,
    /// Source of the instructions.
    pub source: Arc<dyn Source>,
}
