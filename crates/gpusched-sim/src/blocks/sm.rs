//! One SM: what is free on it.

use gpusched_model::scenario::{DeviceShape, Need};

/// What is free on an SM.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Sm {
    room: Need,
    blocks: u32,
}

impl Sm {
    /// An empty SM.
    pub fn new(device: &DeviceShape) -> Sm {
        Sm {
            room: Need::of_sm(device),
            blocks: device.blocks_per_sm,
        }
    }

    /// How many further blocks with this `need` fit, if only what they need counts; 0 if no place for a block is free.
    ///
    /// The places are a limit and no measure: [Sanudo20] Eqs 2–4 compare warps, however few places are left.
    pub fn slots(&self, need: &Need) -> u32 {
        match self.blocks {
            0 => 0,
            _ => need.slots(&self.room),
        }
    }

    /// Starts a block; it must fit.
    pub fn take(&mut self, need: &Need) {
        self.room.warps -= need.warps;
        self.room.registers -= need.registers;
        self.room.shared_memory -= need.shared_memory;
        self.blocks -= 1;
    }

    /// Ends a block.
    pub fn give(&mut self, need: &Need) {
        self.room.warps += need.warps;
        self.room.registers += need.registers;
        self.room.shared_memory += need.shared_memory;
        self.blocks += 1;
    }
}
