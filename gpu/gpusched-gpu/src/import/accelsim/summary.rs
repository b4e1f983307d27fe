//! Summary of a trace: numbers of instructions, accesses and bytes.

mod count;

use serde::Serialize;

use super::{Command, Dimension, Unit};

/// Summary of a run or of one kernel.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TraceSummary {
    /// Copies to the GPU in the command list.
    pub copies: Copies,
    /// Summaries of the kernels, in order.
    pub kernels: Vec<KernelSummary>,
}

/// Number and size of copies to the GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Copies {
    /// Number of copies to the GPU.
    pub count: u64,
    /// Total size of all copies [bytes].
    pub bytes: u64,
}

impl Copies {
    /// Returns the number and size of the copies among `commands`.
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelSummary {
    /// Trace file of the kernel.
    pub file: String,
    /// Mangled name of the kernel.
    pub name: String,
    /// Number of the kernel in the run; 0 if the trace does not state the number.
    pub id: u64,
    /// CUDA stream of the kernel launch.
    pub stream: u64,
    /// Number of thread blocks in each dimension of the grid.
    pub grid: Dimension,
    /// Number of threads in each dimension of a block.
    pub block: Dimension,
    /// Static and dynamic shared memory of a block [bytes].
    pub shared_memory: u32,
    /// Number of registers per thread.
    pub registers: u32,
    /// Version of the instruction set: ten times the compute capability.
    pub binary_version: u32,
    /// Version of the tracer of Accel-Sim.
    pub tracer_version: u32,
    /// Number of warps that executed at least one instruction.
    pub warps: u64,
    /// Number of executed instructions, counted once per warp.
    pub instructions: u64,
    /// Number of executed instructions, counted once per executing lane.
    pub lane_instructions: u64,
    /// Number of distinct instructions. An instruction with generic addresses counts once per
    /// accessed memory space.
    pub code: u64,
    /// Number of executed instructions per unit, counted once per warp.
    pub units: UnitCounts,
    /// Memory accesses, sorted by space, then by kind (load, store, atomic).
    pub memory: Vec<MemoryTraffic>,
    /// Size of the accessed global memory, in whole sectors [bytes].
    pub footprint_bytes: u64,
    /// Unknown opcodes, sorted by name.
    pub unknown: Vec<OpcodeCount>,
    /// Opcodes whose effect is missing in the trace, sorted by name: texture and surface operations, and arrivals at
    /// barriers where the warp does not wait.
    pub untold: Vec<OpcodeCount>,
}

/// Number of executed instructions per unit, counted once per warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnitCounts {
    /// Integer instructions, and all instructions that belong to no other unit.
    pub int: u64,
    /// Single-precision and half-precision instructions.
    pub single: u64,
    /// Double-precision instructions.
    pub double: u64,
    /// Instructions of the special function units.
    pub special: u64,
    /// Instructions of the tensor cores.
    pub tensor: u64,
    /// Loads, stores and atomics.
    pub memory: u64,
    /// Branches, barriers, fences and exits.
    pub control: u64,
    /// Instructions of the uniform datapath.
    pub uniform: u64,
    /// Texture and surface instructions.
    pub texture: u64,
    /// Instructions with unknown opcodes.
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

    /// Returns the name and the count of every unit.
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

/// Memory accesses of one kind (load, store or atomic) to one memory space.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemoryTraffic {
    /// Memory space: `global`, `local`, `shared` or `constant`.
    pub space: &'static str,
    /// Kind of access: `load`, `store` or `atomic`.
    pub access: &'static str,
    /// Number of executed instructions, counted once per warp.
    pub instructions: u64,
    /// Number of accesses, counted once per executing lane.
    pub lanes: u64,
    /// Number of accessed sectors of 32 bytes. A sector counts once per executed instruction that
    /// accesses it. The number is 0 for shared memory and constants, which have no sectors.
    pub sectors: u64,
}

/// Number of executions of an opcode.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OpcodeCount {
    /// Opcode with its modifiers, as in the trace.
    pub opcode: String,
    /// Number of executions of the opcode.
    pub count: u64,
}

impl KernelSummary {
    /// Returns the number of accessed sectors for kind `access` and memory space `space`.
    pub fn sectors(&self, space: &str, access: &str) -> u64 {
        let fits = |traffic: &&MemoryTraffic| traffic.space == space && traffic.access == access;
        self.memory
            .iter()
            .filter(fits)
            .map(|traffic| traffic.sectors)
            .sum()
    }
}
