//! An observer that keeps everything.

use serde::Serialize;

use crate::blocks::Event;
use gpusched_model::Observer;
use gpusched_model::time::Time;

/// Where and when a block ran.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema)]
pub struct BlockRecord {
    /// The kernel's position in the scenario.
    pub kernel: usize,
    /// The number of the block in its kernel.
    pub block: u32,
    /// The SM.
    pub sm: u32,
    /// When it started [ns].
    pub start_ns: Time,
    /// When it ended [ns].
    pub end_ns: Time,
}

/// When a kernel ran.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema)]
pub struct KernelRecord {
    /// The kernel's position in the scenario.
    pub kernel: usize,
    /// When its stream had come to it [ns].
    pub ready_ns: Time,
    /// When its first block started [ns].
    pub start_ns: Time,
    /// When its last block ended [ns].
    pub end_ns: Time,
}

/// When a copy ran.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema)]
pub struct CopyRecord {
    /// The copy's position in the scenario.
    pub copy: usize,
    /// When it started [ns].
    pub start_ns: Time,
    /// When it ended [ns].
    pub end_ns: Time,
}

/// Everything that ran.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, schemars::JsonSchema)]
pub struct Record {
    /// By kernel, then by number.
    pub blocks: Vec<BlockRecord>,
    /// In the order of the scenario.
    pub kernels: Vec<KernelRecord>,
    /// In the order of the scenario.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<CopyRecord>,
}

impl Record {
    /// Puts all in the order of the scenario; to be called at the end.
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
