//! Resources of an SM that a thread block uses, as the block scheduler counts them ([Sanudo20] §III-C).

use super::DeviceShape;

/// Number of threads of a warp.
const WARP: u32 = 32;

/// Maximum number of registers per thread that the block scheduler ignores ([Sanudo20] §III-C2).
pub const FREE_REGISTERS: u32 = 32;

/// Allocation unit of the registers of a warp [registers].
const REGISTER_UNIT: u32 = 256;

/// Maximum shared memory per block that the block scheduler ignores [bytes] ([Sanudo20] §III-C2).
pub const FREE_SHARED_MEMORY: u32 = 3 * 1024;

/// Allocation unit of shared memory [bytes].
pub const SHARED_MEMORY_UNIT: u32 = 256;

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
    /// and `shared_memory` bytes of shared memory.
    pub fn new(threads: u32, registers: u32, shared_memory: u32) -> Need {
        let warps = threads.div_ceil(WARP);
        let per_warp = registers
            .saturating_mul(WARP)
            .div_ceil(REGISTER_UNIT)
            .saturating_mul(REGISTER_UNIT);
        let units = shared_memory.div_ceil(SHARED_MEMORY_UNIT);
        Need {
            warps,
            registers: match registers > FREE_REGISTERS {
                true => per_warp.saturating_mul(warps),
                false => 0,
            },
            shared_memory: match shared_memory > FREE_SHARED_MEMORY {
                true => units.saturating_mul(SHARED_MEMORY_UNIT),
                false => 0,
            },
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

    /// Returns the number of blocks that fit into `room`, if each block uses these resources: the minimum over all
    /// resources ([Sanudo20] Eq. 1).
    pub fn slots(&self, room: &Need) -> u32 {
        let fit = |need: u32, room: u32| room.checked_div(need).unwrap_or(u32::MAX);
        fit(self.warps, room.warps)
            .min(fit(self.registers, room.registers))
            .min(fit(self.shared_memory, room.shared_memory))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_and_units() {
        let shared = |bytes| Need::new(32, 0, bytes).shared_memory;
        assert_eq!(
            [shared(3072), shared(3073), shared(3328), shared(3329)],
            [0, 3328, 3328, 3584]
        );
        let registers = |count| Need::new(64, count, 0).registers;
        assert_eq!(
            [registers(32), registers(33), registers(40), registers(41)],
            [0, 2560, 2560, 3072]
        );
        assert_eq!(Need::new(33, 0, 0).warps, 2);
    }

    #[test]
    fn slots_are_the_least_of_all() {
        let room = Need {
            warps: 64,
            registers: 65_536,
            shared_memory: 98_304,
        };
        assert_eq!(Need::new(160, 0, 0).slots(&room), 12);
        assert_eq!(Need::new(32, 0, 49_152).slots(&room), 2);
        assert_eq!(Need::new(1024, 64, 0).slots(&room), 1);
    }
}
