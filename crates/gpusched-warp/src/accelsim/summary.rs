//! What a trace holds, in figures.

mod count;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Command, Dimension, Unit};

/// A run, or one kernel of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct TraceSummary {
    /// Copies to the GPU that the list names.
    pub copies: Copies,
    /// The kernels, in order.
    pub kernels: Vec<KernelSummary>,
}

/// Copies to the GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Copies {
    /// How many.
    pub count: u64,
    /// Bytes in all.
    pub bytes: u64,
}

impl Copies {
    /// Those among `commands`.
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

/// One kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KernelSummary {
    /// The file of its trace.
    pub file: String,
    /// Its (mangled) name.
    pub name: String,
    /// Its number in the run.
    pub id: u64,
    /// The stream it was launched in.
    pub stream: u64,
    /// Thread blocks in each dimension.
    pub grid: Dimension,
    /// Threads of a block in each dimension.
    pub block: Dimension,
    /// Shared memory of a block [bytes].
    pub shared_memory: u32,
    /// Registers of a thread.
    pub registers: u32,
    /// The instruction set: ten times the compute capability.
    pub binary_version: u32,
    /// The version of the tracer.
    pub tracer_version: u32,
    /// Warps that executed anything.
    pub warps: u64,
    /// Instructions that warps issued.
    pub instructions: u64,
    /// The same, each counted for every lane that executed it.
    pub lane_instructions: u64,
    /// Different instructions; those with generic addresses count once for each space they met.
    pub code: u64,
    /// Instructions that warps issued, by unit.
    pub units: UnitCounts,
    /// Accesses to memory, by space, then loads, stores, atomics.
    pub memory: Vec<MemoryTraffic>,
    /// Global memory that was touched, in whole sectors [bytes].
    pub footprint_bytes: u64,
    /// Opcodes that are not known, by name.
    pub unknown: Vec<OpcodeCount>,
    /// Opcodes whose effect a trace does not tell (textures, surfaces, barriers at which a warp arrives without waiting), by name.
    pub untold: Vec<OpcodeCount>,
}

/// Instructions by the unit that runs them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct UnitCounts {
    /// Integers, and what has no unit of its own.
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
    /// Not known.
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

    /// All of them with their names.
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

/// The accesses of one kind to one space.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MemoryTraffic {
    /// `global`, `local`, `shared` or `constant`.
    pub space: &'static str,
    /// `load`, `store` or `atomic`.
    pub access: &'static str,
    /// Instructions that warps issued.
    pub instructions: u64,
    /// The same, each counted for every lane that executed it.
    pub lanes: u64,
    /// Sectors of 32 bytes, each counted once per instruction; 0 for shared memory and constants, which have none.
    pub sectors: u64,
}

/// How often an opcode was executed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OpcodeCount {
    /// The opcode with its modifiers.
    pub opcode: String,
    /// How often.
    pub count: u64,
}

impl KernelSummary {
    /// The sectors of accesses of one kind to one space.
    pub fn sectors(&self, space: &str, access: &str) -> u64 {
        let fits = |traffic: &&MemoryTraffic| traffic.space == space && traffic.access == access;
        self.memory
            .iter()
            .filter(fits)
            .map(|traffic| traffic.sectors)
            .sum()
    }
}
