//! A kernel to simulate.

use std::sync::Arc;

use crate::code::{BlockKey, Stream, Unlike};
use crate::machine::BlockNeed;

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

    /// Describes a fault in the instructions that the source has delivered so far, such as an index after the last
    /// value of a buffer. Results of a run with a fault are invalid.
    fn fault(&self) -> Option<String> {
        None
    }

    /// Returns the number of instructions that a block in the middle of the grid issues, over all its warps. The count
    /// stops at `most`. Returns `None` if the source can deliver each block only once.
    fn some_block(&self, most: u64) -> Option<u64> {
        let _ = most;
        None
    }
}

/// Queue of a kernel. Kernels with equal queue numbers run one at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Queued {
    /// Number of the queue; less than the number of kernels.
    pub queue: usize,
    /// Priority number of the kernel. The lowest number means the highest priority.
    pub priority: u64,
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
    /// Time from the launch of the kernel to `at` [core cycles].
    pub latency: u64,
    /// Maximum number of blocks of the kernel on one SM at the same time. `None` means that only the hardware limits apply.
    pub resident: Option<u32>,
    /// Whether the kernel starts again whenever it ends, until all kernels that do not repeat have ended.
    pub repeats: bool,
    /// Issue budget or priority of the kernel. Only some scheduling policies use this value.
    pub budget: u32,
    /// Permitted SMs, with one flag per SM. `None` permits all SMs.
    pub sms: Option<Vec<bool>>,
    /// DRAM channels whose memory the kernel uses, in ascending order. `None` means all channels.
    pub channels: Option<Vec<u32>>,
    /// Ways of L2 where the kernel allocates lines, in ascending order. `None` means all ways.
    pub l2_ways: Option<Vec<u32>>,
    /// Queue of the kernel. `None` means that the kernel waits for no other kernel.
    pub queue: Option<Queued>,
    /// Source of the instructions.
    pub source: Arc<dyn Source>,
}

impl Launch {
    /// Returns the core cycle when the kernel is launched.
    pub fn launched(&self) -> u64 {
        self.at.saturating_sub(self.latency)
    }
}
