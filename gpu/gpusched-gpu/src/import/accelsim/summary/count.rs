//! Computation of the summary of a trace.

use std::collections::BTreeMap;

use super::{KernelSummary, MemoryTraffic, OpcodeCount, UnitCounts};
use crate::import::accelsim::footprint::{Footprint, Sectors};
use crate::import::accelsim::{Block, Code, Header, Kind, SassInstruction, Space, TraceFile};
use gpusched_model::error::Result;

/// Counts for one instruction.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    instructions: u64,
    lanes: u64,
    sectors: u64,
}

impl KernelSummary {
    /// Reads the complete trace, and counts its instructions and accesses.
    ///
    /// # Errors
    /// Fails if [`TraceFile::next_block`] fails.
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
        // `Code` contains the first variant of a generic instruction even if no warp has executed
        // this variant.
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
                Kind::Texture | Kind::Surface | Kind::Arrive => &mut untold,
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
}

/// Names of the access kinds, in the order of the results.
const ACCESSES: [&str; 3] = ["load", "store", "atomic"];

/// Returns the memory space of an access and the index of its kind in [`ACCESSES`].
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
