//! Header of a trace. The header describes the kernel, and precedes the first instruction.

mod reading;

pub(super) use reading::position;

use super::Dimension;

/// Oldest supported version of the tracer. In older processed traces, every line states the thread block.
pub const LEAST_VERSION: u32 = 3;

/// Properties of the traced kernel and of its recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Mangled name of the kernel.
    pub name: String,
    /// Number of the kernel in the run, from 1; 0 if the trace does not state the number.
    pub id: u64,
    /// Number of thread blocks in each dimension of the grid.
    pub grid: Dimension,
    /// Number of threads in each dimension of a block.
    pub block: Dimension,
    /// Static and dynamic shared memory of a block [bytes].
    pub shared_memory: u32,
    /// Number of registers per thread.
    pub registers: u32,
    /// Version of the instruction set: ten times the compute capability (70 for Volta, 75 for
    /// Turing).
    pub binary_version: u32,
    /// CUDA stream of the kernel launch.
    pub stream: u64,
    /// First generic address of shared memory; 0 if the trace does not state the address.
    pub shared_base: u64,
    /// First generic address of local memory; 0 if the trace does not state the address.
    pub local_base: u64,
    /// Version of the tracer of Accel-Sim.
    pub tracer_version: u32,
    /// Whether every instruction in the trace starts with its line number in the source code.
    pub line_numbers: bool,
}

impl Header {
    /// Returns the number of warps in a block.
    pub fn warps(&self) -> usize {
        usize::try_from(self.block.count().div_ceil(32)).unwrap_or(usize::MAX)
    }

    /// Returns the distance [bytes] from the instruction at `pc` to the next instruction in memory. From Volta on, the
    /// distance is 16. Before Volta, the distance is 8, or 16 if a control word is between the two instructions. A
    /// control word controls the scheduling of the following instructions. From Maxwell on, every fourth word is a
    /// control word; on Kepler, every eighth word.
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

    /// Returns the location of the word that `lane` accesses at `address` of its local memory. The location is relative
    /// to the start of the local memory of the warp [bytes]. Local memory is interleaved by lane, so the words of all
    /// lanes at one address are adjacent.
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
