//! What a trace says of its kernel before the first instruction.

mod reading;

pub(super) use reading::position;

use super::Dimension;

/// The oldest version of the tracer whose traces are read: before, every line of a processed trace repeated its thread block.
pub const LEAST_VERSION: u32 = 3;

/// The kernel of a trace, and how the trace was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The kernel's (mangled) name.
    pub name: String,
    /// Its number in the run, from 1; 0 if the trace does not say.
    pub id: u64,
    /// Thread blocks in each dimension.
    pub grid: Dimension,
    /// Threads of a block in each dimension.
    pub block: Dimension,
    /// Shared memory of a block, static and dynamic [bytes].
    pub shared_memory: u32,
    /// Registers of a thread.
    pub registers: u32,
    /// The instruction set: ten times the compute capability (70 is Volta, 75 Turing).
    pub binary_version: u32,
    /// The stream it was launched in.
    pub stream: u64,
    /// Where shared memory begins for generic addresses; 0 is unknown.
    pub shared_base: u64,
    /// Where local memory begins for generic addresses; 0 is unknown.
    pub local_base: u64,
    /// The version of Accel-Sim's tracer.
    pub tracer_version: u32,
    /// Whether every instruction begins with its line in the source.
    pub line_numbers: bool,
}

impl Header {
    /// Warps of a block.
    pub fn warps(&self) -> usize {
        usize::try_from(self.block.count().div_ceil(32)).unwrap_or(usize::MAX)
    }

    /// The bytes from one instruction to the one that follows it in memory at `pc`: 16 from Volta on. Before, it is 8, or 16 where
    /// a word that controls the scheduling of the instructions after it stands between: every fourth word from Maxwell on, every
    /// eighth on Kepler.
    pub fn instruction_bytes(&self, pc: u32) -> u32 {
        let group = match self.binary_version {
            70.. => return 16,
            50.. => 32,
            _ => 64,
        };
        match pc.wrapping_add(8) % group {
            0 => 16,
            _ => 8,
        }
    }

    /// Where the word that `lane` accesses at `address` of its local memory lies, from the start of its warp's local memory: words of the
    /// same offset stand side by side, so that a warp that accesses one variable touches neighbouring bytes.
    pub fn local_address(&self, address: u64, lane: u32, bytes: u8) -> u64 {
        let offset = match self.local_base {
            0 => address,
            base => address.checked_sub(base).unwrap_or(address),
        };
        let width = u64::from(bytes.max(1));
        let word = offset / width;
        let start = word
            .saturating_mul(32)
            .saturating_add(lane.into())
            .saturating_mul(width);
        start.saturating_add(offset % width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn follow(binary_version: u32, pc: u32) -> u32 {
        let header = Header {
            name: String::new(),
            id: 1,
            grid: Dimension { x: 1, y: 1, z: 1 },
            block: Dimension { x: 1, y: 1, z: 1 },
            shared_memory: 0,
            registers: 8,
            binary_version,
            stream: 0,
            shared_base: 0,
            local_base: 0,
            tracer_version: 3,
            line_numbers: false,
        };
        pc + header.instruction_bytes(pc)
    }

    #[test]
    fn words_that_control_scheduling_are_stepped_over() {
        let walk = |version, from| {
            let steps = std::iter::successors(Some(from), |&pc| Some(follow(version, pc)));
            steps.take(8).collect::<Vec<u32>>()
        };
        assert_eq!(walk(75, 0), [0x00, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70]);
        assert_eq!(walk(61, 8), [0x08, 0x10, 0x18, 0x28, 0x30, 0x38, 0x48, 0x50]);
        assert_eq!(walk(35, 8), [0x08, 0x10, 0x18, 0x20, 0x28, 0x30, 0x38, 0x48]);
    }
}
