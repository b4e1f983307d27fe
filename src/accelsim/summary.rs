//! What a trace holds, in figures.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::footprint::{Footprint, Sectors};
use super::{Block, Code, Command, Dimension, Header, Kind, SassInstruction, Space, TraceFile, Unit};
use crate::error::Result;

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

/// What is counted of one instruction.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    instructions: u64,
    lanes: u64,
    sectors: u64,
}

impl KernelSummary {
    /// Reads all of `trace`.
    ///
    /// # Errors
    /// Those of [`TraceFile::next_block`].
    pub fn read(mut trace: TraceFile) -> Result<KernelSummary> {
        let mut tallies = Vec::new();
        let (mut footprint, mut sectors, mut warps) = (Footprint::default(), Sectors::default(), 0);
        while let Some(block) = trace.next_block()? {
            tallies.resize(trace.code().instructions().len(), Tally::default());
            warps += block
                .warps()
                .iter()
                .filter(|warp| !warp.records().is_empty())
                .count() as u64;
            count(
                &block,
                trace.header(),
                trace.code(),
                &mut tallies,
                &mut footprint,
                &mut sectors,
            );
        }
        Ok(KernelSummary::new(&trace, warps, &tallies, &footprint))
    }

    fn new(trace: &TraceFile, warps: u64, tallies: &[Tally], footprint: &Footprint) -> KernelSummary {
        let header = trace.header();
        let mut summary = KernelSummary {
            file: trace.name().to_owned(),
            name: header.name.clone(),
            id: header.id,
            stream: header.stream,
            grid: header.grid,
            block: header.block,
            shared_memory: header.shared_memory,
            registers: header.registers,
            binary_version: header.binary_version,
            tracer_version: header.tracer_version,
            warps,
            instructions: 0,
            lane_instructions: 0,
            code: 0,
            units: UnitCounts::default(),
            memory: Vec::new(),
            footprint_bytes: footprint.bytes(),
            unknown: Vec::new(),
            untold: Vec::new(),
        };
        let mut memory: BTreeMap<(Space, usize), Tally> = BTreeMap::new();
        let (mut unknown, mut untold) = (BTreeMap::new(), BTreeMap::new());
        // What no warp executed in this space is there because it did in another.
        let executed = |(_, tally): &(&SassInstruction, &Tally)| tally.instructions > 0;
        let tallies = trace.code().instructions().iter().zip(tallies).filter(executed);
        for (instruction, tally) in tallies {
            summary.code += 1;
            summary.instructions += tally.instructions;
            summary.lane_instructions += tally.lanes;
            summary.units.add(instruction.kind.unit(), tally.instructions);
            if let Some((space, access)) = traffic(instruction) {
                let sum = memory.entry((space, access)).or_default();
                sum.instructions += tally.instructions;
                sum.lanes += tally.lanes;
                sum.sectors += tally.sectors;
            }
            let opcodes = match instruction.kind {
                Kind::Unknown => &mut unknown,
                Kind::Texture | Kind::Arrive => &mut untold,
                _ => continue,
            };
            *opcodes.entry(instruction.opcode.as_str()).or_insert(0) += tally.instructions;
        }
        summary.memory = memory
            .into_iter()
            .map(|((space, access), sum)| MemoryTraffic {
                space: space.name(),
                access: ACCESSES.get(access).copied().unwrap_or_default(),
                instructions: sum.instructions,
                lanes: sum.lanes,
                sectors: sum.sectors,
            })
            .collect();
        summary.unknown = counts(unknown);
        summary.untold = counts(untold);
        summary
    }

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

/// Names of accesses, in the order of answers.
const ACCESSES: [&str; 3] = ["load", "store", "atomic"];

/// Space and place in [`ACCESSES`].
fn traffic(instruction: &SassInstruction) -> Option<(Space, usize)> {
    match instruction.kind {
        Kind::Load(space) => Some((space, 0)),
        Kind::Store(space) => Some((space, 1)),
        Kind::Atomic(space) => Some((space, 2)),
        _ => None,
    }
}

fn counts(opcodes: BTreeMap<&str, u64>) -> Vec<OpcodeCount> {
    let named = |(opcode, count): (&str, u64)| OpcodeCount {
        opcode: opcode.to_owned(),
        count,
    };
    opcodes.into_iter().map(named).collect()
}

fn count(
    block: &Block,
    header: &Header,
    code: &Code,
    tallies: &mut [Tally],
    footprint: &mut Footprint,
    sectors: &mut Sectors,
) {
    let mut addresses = [0; 32];
    for warp in block.warps() {
        for record in warp.records() {
            let (Some(instruction), Some(tally)) =
                (code.get(record), tallies.get_mut(record.instruction as usize))
            else {
                continue;
            };
            tally.instructions += 1;
            tally.lanes += u64::from(record.lanes.count_ones());
            let space = instruction.kind.space();
            let (Some(space @ (Space::Global | Space::Local)), true) =
                (space, warp.addresses(record, &mut addresses))
            else {
                continue;
            };
            let lanes = (0..32u32)
                .zip(addresses)
                .filter(|(lane, _)| record.lanes >> lane & 1 == 1);
            let found = match space {
                Space::Local => {
                    let place = |(lane, address)| header.local_address(address, lane, instruction.bytes);
                    sectors.of(lanes.map(place), instruction.bytes)
                }
                _ => sectors.of(lanes.map(|(_, address)| address), instruction.bytes),
            };
            tally.sectors += found.len() as u64;
            if space == Space::Global {
                footprint.add(found);
            }
        }
    }
}
