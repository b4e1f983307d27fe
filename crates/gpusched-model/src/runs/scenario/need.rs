//! Resources of an SM that a thread block uses. The block scheduler counts them in two ways ([Sanudo20] §III-C): all of
//! them for the capacity of an SM, and only large amounts for the ranking of SMs.

use super::DeviceShape;

/// Number of threads of a warp.
const WARP: u32 = 32;

/// Maximum number of registers per warp that the ranking of SMs ignores: 32 per thread ([Sanudo20] §III-C2).
const FREE_REGISTERS: u32 = 32 * WARP;

/// Allocation unit of the registers of a warp [registers].
const REGISTER_UNIT: u32 = 256;

/// Maximum shared memory per block that the ranking of SMs ignores [bytes] ([Sanudo20] §III-C2).
const FREE_SHARED_MEMORY: u32 = 3 * 1024;

/// Allocation unit of shared memory [bytes].
const SHARED_MEMORY_UNIT: u32 = 256;

/// Resources that a thread block uses, or resources that an SM has.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Need {
    /// Number of warps.
    pub warps: u32,
    /// Number of registers.
    pub registers: u32,
    /// Shared memory [bytes].
    pub shared_memory: u32,
}

impl Need {
    /// Returns the resources of a block with `threads` threads, `registers` registers per thread
    /// and `shared_memory` bytes of shared memory. An SM allocates registers in units of 256 per warp, and shared
    /// memory in units of 256 bytes.
    pub fn new(threads: u32, registers: u32, shared_memory: u32) -> Need {
        let warps = threads.div_ceil(WARP);
        let whole = |amount: u32, unit: u32| amount.div_ceil(unit).saturating_mul(unit);
        let per_warp = whole(registers.saturating_mul(WARP), REGISTER_UNIT);
        Need {
            warps,
            registers: per_warp.saturating_mul(warps),
            shared_memory: whole(shared_memory, SHARED_MEMORY_UNIT),
        }
    }

    /// Returns the resources of an empty SM.
    pub fn of_sm(device: &DeviceShape) -> Need {
        Need {
            warps: device.threads_per_sm / WARP,
            registers: device.registers_per_sm,
            shared_memory: device.shared_memory_per_sm_kib.saturating_mul(1024),
        }
    }

    /// Returns the resources of a block that count in the ranking of SMs. If a block uses at most 32 registers per
    /// thread or 3 KiB of shared memory, the ranking ignores this resource ([Sanudo20] §III-C2).
    pub fn ranked(&self) -> Need {
        let counted = |amount: u32, free: u32| if amount > free { amount } else { 0 };
        Need {
            warps: self.warps,
            registers: counted(self.registers, self.warps.saturating_mul(FREE_REGISTERS)),
            shared_memory: counted(self.shared_memory, FREE_SHARED_MEMORY),
        }
    }

    /// Returns the number of blocks that fit into `room`, if each block uses these resources: the minimum over all
    /// resources ([Sanudo20] Eq. 1).
    pub fn slots(&self, room: &Need) -> u32 {
        let fit = |need: u32, room: u32| room.checked_div(need).unwrap_or(u32::MAX);
        fit(self.warps, room.warps)
            .min(fit(self.registers, room.registers))
            .min(fit(self.shared_memory, room.shared_memory))
    }

    /// Removes the resources of a block from these resources, which must suffice.
    pub fn take(&mut self, block: &Need) {
        self.warps -= block.warps;
        self.registers -= block.registers;
        self.shared_memory -= block.shared_memory;
    }

    /// Adds the resources of a block to these resources.
    pub fn give(&mut self, block: &Need) {
        self.warps += block.warps;
        self.registers += block.registers;
        self.shared_memory += block.shared_memory;
    }
}
