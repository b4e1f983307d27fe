//! Thread blocks on an SM.

use super::super::code::Stream;
use super::Sm;

/// A block on an SM.
#[derive(Debug, Clone)]
pub struct Block {
    kernel: usize,
    index: u64,
    first_slot: usize,
    warps: usize,
    left: usize,
}

/// The start of a block.
pub struct BlockStart {
    /// Index of the kernel.
    pub kernel: usize,
    /// Index of the block in the grid.
    pub index: u64,
    /// Place of the block on the SM. An SM has one place for each block that it can run at the
    /// same time.
    pub place: usize,
    /// Slot of the first warp; the other warps of the block use the following slots.
    pub first_slot: usize,
    /// Instruction streams of the warps.
    pub streams: Vec<Box<dyn Stream + Send>>,
}

/// A block that ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndedBlock {
    /// Index of the kernel.
    pub kernel: usize,
    /// Index of the block in the grid.
    pub index: u64,
    /// Place of the block on the SM.
    pub place: usize,
    /// Slot of the first warp.
    pub first_slot: usize,
    /// Core cycle when the block ended.
    pub cycle: u64,
}

impl Sm {
    /// Returns the first free place with a number below `places`.
    pub fn free_place(&self, places: usize) -> Option<usize> {
        self.blocks.iter().take(places).position(Option::is_none)
    }

    /// Returns the first slot of `warps` consecutive free slots. The first slot must be a
    /// multiple of `warps`.
    pub fn free_slots(&self, warps: usize) -> Option<usize> {
        let slots = self.warps.len();
        (0..slots / warps)
            .map(|run| run * warps)
            .find(|&first| (first..first + warps).all(|slot| self.warps.slot(slot).stream.is_none()))
    }

    /// Starts a block at the end of cycle `now`.
    pub fn start(&mut self, block: BlockStart, now: u64) {
        self.sleep_until(now);
        let warps = block.streams.len();
        self.resident += 1;
        if self.instructions.len() <= block.kernel {
            self.instructions.resize(block.kernel + 1, (0, 0));
        }
        self.blocks[block.place] = Some(Block {
            kernel: block.kernel,
            index: block.index,
            first_slot: block.first_slot,
            warps,
            left: warps,
        });
        for (warp, stream) in block.streams.into_iter().enumerate() {
            self.warps.start(
                block.first_slot + warp,
                stream,
                block.kernel,
                block.place,
                self.ages,
            );
            self.ages += 1;
        }
    }

    /// Removes the warp in `slot`, which has executed its last instruction. When the last warp of a
    /// block is removed, the block ends.
    pub(super) fn retire(&mut self, slot: usize, now: u64) {
        let place = self.warps.slot(slot).block;
        self.warps.leave(slot);
        let Some(block) = &mut self.blocks[place] else {
            return;
        };
        block.left -= 1;
        if block.left == 0 {
            self.ended.push(EndedBlock {
                kernel: block.kernel,
                index: block.index,
                place,
                first_slot: block.first_slot,
                cycle: now,
            });
            self.blocks[place] = None;
            self.resident -= 1;
        }
    }

    /// Updates the block after its warp in `slot` reached a barrier or ended. If all remaining warps of the block are
    /// at the barrier, these warps continue.
    pub(super) fn check_barrier(&mut self, slot: usize) {
        let Some(block) = &self.blocks[self.warps.slot(slot).block] else {
            return;
        };
        let slots = block.first_slot..block.first_slot + block.warps;
        if slots
            .clone()
            .all(|slot| self.warps.is_done(slot) || self.warps.at_barrier(slot))
        {
            for slot in slots {
                if self.warps.at_barrier(slot) {
                    self.warps.set_barrier(slot, false);
                }
            }
        }
    }
}
