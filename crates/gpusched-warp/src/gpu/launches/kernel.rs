//! A kernel to be simulated.

use std::sync::Arc;

use crate::code::{BlockKey, Stream, Unlike};
use gpusched_model::machine::BlockNeed;

/// Where a kernel's instructions come from.
pub trait Source: Send + Sync {
    /// The instructions of the warps of a block, by warp.
    ///
    /// # Errors
    /// Says why there are none (a trace that cannot be read).
    fn warps(&self, block: u64) -> Result<Vec<Box<dyn Stream + Send>>, String>;

    /// Blocks of equal keys step alike on equal SMs, and nothing that they do is noticed outside of their SM.
    ///
    /// # Errors
    /// Why this cannot be said of any block. If it can be of one, it can be of all.
    fn key(&self, block: u64) -> Result<BlockKey, Unlike>;

    /// The instructions that the warps of a block in the middle issue, counted up to `most` or a little more; none if that would take it away.
    fn some_block(&self, most: u64) -> Option<u64> {
        let _ = most;
        None
    }

    /// The same kernel with loops that run `least` rounds or more cut down, so that the shortest of them runs `rounds`; and how
    /// many it ran. None if there are no such loops, or that is not known.
    fn shortened(&self, least: u64, rounds: u64) -> Option<(Arc<dyn Source>, u64)> {
        let _ = (least, rounds);
        None
    }
}

/// A kernel to be simulated.
pub struct Launch {
    /// Its name in results.
    pub name: String,
    /// Its blocks.
    pub blocks: u64,
    /// What a block needs of an SM.
    pub need: BlockNeed,
    /// The core cycle from which on its blocks may start.
    pub at: u64,
    /// At most so many blocks on an SM at a time, if that is less than fit.
    pub resident: Option<u32>,
    /// Budget or priority, for policies that have them.
    pub budget: u32,
    /// SMs it may use, one flag each; none given: all.
    pub sms: Option<Vec<bool>>,
    /// Its instructions.
    pub source: Arc<dyn Source>,
}
