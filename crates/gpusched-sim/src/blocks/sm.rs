//! Free resources of one SM.

use gpusched_model::scenario::{DeviceShape, Need};

/// Free resources of one SM.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Sm {
    /// Free resources. A block starts only if these suffice.
    room: Need,
    /// Resources that are free in the ranking of SMs. The ranking ignores small amounts ([`Need::ranked`]).
    ranked: Need,
    blocks: u32,
}

impl Sm {
    /// Returns an empty SM.
    pub fn new(device: &DeviceShape) -> Sm {
        let room = Need::of_sm(device);
        Sm {
            room,
            ranked: room,
            blocks: device.blocks_per_sm,
        }
    }

    /// Returns the rank of the SM for a block with `need`: the number of further such blocks that would fit if only the
    /// ranked resources counted. The rank is 0 if the block does not fit.
    ///
    /// The number of free block slots has no effect on the rank of an SM with a free slot. [Sanudo20] Eqs 2–4 compare
    /// warps, even if few block slots are free.
    pub fn slots(&self, need: &Need) -> u32 {
        match self.blocks > 0 && need.slots(&self.room) > 0 {
            true => need.ranked().slots(&self.ranked),
            false => 0,
        }
    }

    /// Allocates the resources of a block, which must fit.
    pub fn take(&mut self, need: &Need) {
        self.room.take(need);
        self.ranked.take(&need.ranked());
        self.blocks -= 1;
    }

    /// Releases the resources of a block.
    pub fn give(&mut self, need: &Need) {
        self.room.give(need);
        self.ranked.give(&need.ranked());
        self.blocks += 1;
    }
}
