//! Summary of a trace: counts of instructions, accesses and bytes.

mod count;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Command, Dimension, Unit};

/// Summary of a run or of one kernel.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct TraceSummary {
    /// Copies to the GPU in the list.
    pub copies: Copies,
    /// The kernels, in order.
    pub kernels: Vec<KernelSummary>,
}

/// Copies to the GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Copies {
    /// Number of copies.
    pub count: u64,
    /// Total size of all copies [bytes].
    pub bytes: u64,
}

impl Copies {
    /// Counts the copies among `commands`.
    pub fn of(commands: &[Command]) -> Copies {
        let mut copies = Copies::default();
        for command in commands {
            if let Command::Copy { bytes, .. } = command {
                copies.count += 1;
                copies.bytes = copies.bytes.saturating_add(*bytes);
            }
        }
        copies
    }
}

/// Summary of one kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KernelSummary {
    /// Trace file of the kernel.
    pub file: String,
    /// Mangled name of the kernel.
    pub name: String,
    /// Number of the kernel in the run.
    pub id: u64,
    /// CUDA stream of the launch.
    pub stream: u64,
    /// Number of thread blocks in each dimension.
    pub grid: Dimension,
    /// Number of threads of a block in each dimension.
    pub block: Dimension,
    /// Shared memory of a block [bytes].
    pub shared_memory: u32,
    /// Number of registers of a thread.
    pub registers: u32,
    /// Instruction set: ten times the compute capability.
    pub binary_version: u32,
    /// Version of the tracer.
    pub tracer_version: u32,
    /// Number of warps that executed at least one instruction.
    pub warps: u64,
    /// Number of instructions issued by warps.
    pub instructions: u64,
    /// Number of instructions, counted once per executing lane.
    pub lane_instructions: u64,
    /// Number of distinct instructions; an instruction with generic addresses counts once per accessed space.
    pub code: u64,
    /// Number of instructions issued by warps, per unit.
    pub units: UnitCounts,
    /// Memory accesses, ordered by space, then by loads, stores and atomics.
    pub memory: Vec<MemoryTraffic>,
    /// Touched global memory, in whole sectors [bytes].
    pub footprint_bytes: u64,
    /// Unknown opcodes, by name.
    pub unknown: Vec<OpcodeCount>,
    /// Opcodes whose effect the trace does not contain, by name: textures, surfaces, and arrivals at barriers
    /// without waiting.
    pub untold: Vec<OpcodeCount>,
}

/// Number of instructions per unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct UnitCounts {
    /// Integer instructions, and all instructions without a unit of their own.
    pub int: u64,
    /// Single and half precision.
    pub single: u64,
    /// Double precision.
    pub double: u64,
    /// Special functions.
    pub special: u64,
    /// Tensor cores.
    pub tensor: u64,
    /// Loads, stores, atomics.
    pub memory: u64,
    /// Branches, barriers, fences, exits.
    pub control: u64,
    /// The uniform datapath.
    pub uniform: u64,
    /// Textures and surfaces.
    pub texture: u64,
    /// Unknown opcodes.
    pub unknown: u64,
}

impl UnitCounts {
    fn add(&mut self, unit: Unit, count: u64) {
        *match unit {
            Unit::Int => &mut self.int,
            Unit::Single => &mut self.single,
            Unit::Double => &mut self.double,
            Unit::Special => &mut self.special,
            Unit::Tensor => &mut self.tensor,
            Unit::Memory => &mut self.memory,
            Unit::Control => &mut self.control,
            Unit::Uniform => &mut self.uniform,
            Unit::Texture => &mut self.texture,
            Unit::Unknown => &mut self.unknown,
        } += count;
    }

    /// Returns the name and the count of each unit.
    pub fn named(&self) -> [(&'static str, u64); 10] {
        [
            ("int", self.int),
            ("single", self.single),
            ("double", self.double),
            ("special", self.special),
            ("tensor", self.tensor),
            ("memory", self.memory),
            ("control", self.control),
            ("uniform", self.uniform),
            ("texture", self.texture),
            ("unknown", self.unknown),
        ]
    }
}

/// Memory accesses of one kind to one space.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MemoryTraffic {
    /// `global`, `local`, `shared` or `constant`.
    pub space: &'static str,
    /// `load`, `store` or `atomic`.
    pub access: &'static str,
    /// Number of instructions issued by warps.
    pub instructions: u64,
    /// Number of accesses, counted once per executing lane.
    pub lanes: u64,
    /// Sectors of 32 bytes, each counted once per instruction; 0 for shared memory and constants, which have
    /// no sectors.
    pub sectors: u64,
}

/// Number of executions of an opcode.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OpcodeCount {
    /// The opcode with its modifiers.
    pub opcode: String,
    /// Number of executions.
    pub count: u64,
}

impl KernelSummary {
    /// Returns the number of sectors of the accesses of one kind to one space.
    pub fn sectors(&self, space: &str, access: &str) -> u64 {
        let fits = |traffic: &&MemoryTraffic| traffic.space == space && traffic.access == access;
        self.memory
            .iter()
            .filter(fits)
            .map(|traffic| traffic.sectors)
            .sum()
    }
}
