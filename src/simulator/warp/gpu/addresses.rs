//! Where an address lies.

use super::super::memory::Place;
use crate::model::machine::MachineShape;

/// Where addresses lie in the memory system of a machine.
#[derive(Debug, Clone)]
pub struct Addresses {
    channels: u64,
    per_channel: u64,
    sets: u64,
}

impl Addresses {
    pub fn new(machine: &MachineShape) -> Self {
        Self {
            channels: u64::from(machine.memory.channels),
            per_channel: u64::from(machine.memory.slices_per_channel),
            sets: u64::from(machine.memory.l2.sets),
        }
    }

    pub fn slice(&self, address: u64) -> u16 {
        ((address >> 8) % self.channels * self.per_channel + (address >> 7) % self.per_channel) as u16
    }

    pub fn l2_set(&self, address: u64) -> usize {
        let in_channel = (address >> 8) / self.channels;
        (in_channel % self.sets) as usize
    }

    pub fn place(&self, address: u64) -> Place {
        let rest = (address >> 8) / self.channels << 8 | address & 0xff;
        Place { bank: ((rest >> 12 & 7) << 1 | rest >> 7 & 1) as u32, row: rest >> 15 }
    }
}
