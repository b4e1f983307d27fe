//! Free resources of one SM.

use gpusched_model::scenario::{DeviceShape, Need};

/// Free resources of one SM.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Sm {
    room: Need,
    blocks: u32,
}

impl Sm {
    /// Returns an empty SM.
    pub fn new(device: &DeviceShape) -> Sm {
        Sm {
            room: Need::of_sm(device),
            blocks: device.blocks_per_sm,
        }
    }

    /// Returns the number of further blocks with `need` for which the SM has enough threads, registers and shared
    /// memory. The number is 0 if no block slot is free.
    ///
    /// If a block slot is free, the number of free slots has no effect. [Sanudo20] Eqs 2–4 compare warps, even if few
    /// block slots are free.
    pub fn slots(&self, need: &Need) -> u32 {
        match self.blocks {
            0 => 0,
            _ => need.slots(&self.room),
        }
    }

    /// Allocates the resources of a block, which must fit.
    pub fn take(&mut self, need: &Need) {
        self.room.warps -= need.warps;
        self.room.registers -= need.registers;
        self.room.shared_memory -= need.shared_memory;
        self.blocks -= 1;
    }

    /// Releases the resources of a block.
    pub fn give(&mut self, need: &Need) {
        self.room.warps += need.warps;
        self.room.registers += need.registers;
        self.room.shared_memory += need.shared_memory;
        self.blocks += 1;
    }
}
