//! Observer that records all blocks, kernels and copies.

use serde::Serialize;

use crate::blocks::Event;
use gpusched_model::Observer;
use gpusched_model::time::Time;

/// SM and times of one block.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BlockRecord {
    /// Index of the kernel in the scenario.
    pub kernel: usize,
    /// Number of the block in its kernel.
    pub block: u32,
    /// SM on which the block ran.
    pub sm: u32,
    /// Start of the block [ns].
    pub start_ns: Time,
    /// End of the block [ns].
    pub end_ns: Time,
}

/// Times of one kernel.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelRecord {
    /// Index of the kernel in the scenario.
    pub kernel: usize,
    /// Time from which the kernel no longer waits for earlier commands [ns].
    pub ready_ns: Time,
    /// Start of the first block of the kernel [ns].
    pub start_ns: Time,
    /// End of the last block of the kernel [ns].
    pub end_ns: Time,
}

/// Times of one copy.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CopyRecord {
    /// Index of the copy in the scenario.
    pub copy: usize,
    /// Start of the copy [ns].
    pub start_ns: Time,
    /// End of the copy [ns].
    pub end_ns: Time,
}

/// All blocks, kernels and copies of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Record {
    /// Blocks, sorted by kernel, then by number.
    pub blocks: Vec<BlockRecord>,
    /// Kernels in the order of the scenario.
    pub kernels: Vec<KernelRecord>,
    /// Copies in the order of the scenario.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<CopyRecord>,
}

impl Record {
    /// Sorts all records into the order of the scenario. The caller calls this function once,
    /// after the run.
    pub fn sort(&mut self) {
        self.blocks
            .sort_unstable_by_key(|block| (block.kernel, block.block));
        self.kernels.sort_unstable_by_key(|kernel| kernel.kernel);
        self.copies.sort_unstable_by_key(|copy| copy.copy);
    }

    fn kernel(&mut self, kernel: usize) -> &mut KernelRecord {
        while self.kernels.len() <= kernel {
            self.kernels.push(KernelRecord {
                kernel: self.kernels.len(),
                ready_ns: Time::ZERO,
                start_ns: Time::LIMIT,
                end_ns: Time::ZERO,
            });
        }
        &mut self.kernels[kernel]
    }
}

impl Observer<Event> for Record {
    fn see(&mut self, now: Time, event: Event) {
        match event {
            Event::KernelRelease(kernel) => self.kernel(kernel).ready_ns = now,
            Event::BlockComplete(block) => {
                self.blocks.push(BlockRecord {
                    kernel: block.kernel,
                    block: block.number,
                    sm: block.sm,
                    start_ns: block.start,
                    end_ns: now,
                });
                let record = self.kernel(block.kernel);
                record.start_ns = record.start_ns.min(block.start);
                record.end_ns = now;
            }
            Event::CopyComplete(copy, start) => self.copies.push(CopyRecord {
                copy,
                start_ns: start,
                end_ns: now,
            }),
            _ => {}
        }
    }
}
