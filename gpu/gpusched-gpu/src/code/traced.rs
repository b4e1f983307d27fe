//! Instruction streams from traces of machine code.

use std::sync::Arc;

use super::{Caching, Effect, Instruction, Number, Operation, Register, Space, Specialized, Stream};
use crate::import::accelsim::{self, Header, Kind, SassInstruction, TraceFile, Warp};
use gpusched_model::error::Result;

/// Start address of local memory, far above all other memory of a GPU.
const LOCAL: u64 = 1 << 52;

/// Maximum size of the local memory of a warp [bytes]: 512 KiB per thread (CUDA Programming
/// Guide).
const LOCAL_OF_WARP: u64 = 1 << 24;

/// Traced kernel, which provides the instruction streams of its warps, block by block.
#[derive(Debug)]
pub struct TracedKernel {
    trace: TraceFile,
    header: Arc<Header>,
    lines: Arc<Vec<Line>>,
}

/// Traced instruction, with the memory space and the width of its accesses.
#[derive(Debug, Clone)]
struct Line {
    instruction: Instruction,
    space: Option<accelsim::Space>,
    bytes: u8,
    generic: bool,
}

/// Instruction stream of one traced warp.
#[derive(Debug, Clone)]
pub struct TraceStream {
    header: Arc<Header>,
    lines: Arc<Vec<Line>>,
    warp: Warp,
    /// Start address of the local memory of the warp.
    local: u64,
    /// Number of issued instructions.
    at: usize,
}

impl TracedKernel {
    /// Creates a kernel from `trace`. The caller must not have read a block of `trace` before.
    pub fn new(trace: TraceFile) -> TracedKernel {
        TracedKernel {
            header: Arc::new(trace.header().clone()),
            lines: Arc::default(),
            trace,
        }
    }

    /// Returns the header of the trace: grid, block, registers and shared memory.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the text of the instruction at `pc`, as issue traces show it. Returns `None` if no
    /// block with this instruction has been read.
    pub fn text(&self, pc: u32) -> Option<&str> {
        let mut known = self.trace.code().instructions().iter();
        known
            .find(|known| known.pc == pc)
            .map(|known| known.opcode.as_str())
    }

    /// Returns the instruction streams of the next thread block, one per warp. The trace contains
    /// the blocks in the order of their dispatch. Returns `None` after the last block.
    ///
    /// # Errors
    /// Fails as [`TraceFile::next_block`] does.
    pub fn next_block(&mut self) -> Result<Option<Vec<TraceStream>>> {
        let Some(block) = self.trace.next_block()? else {
            return Ok(None);
        };
        // Text after the last block is an error. The function therefore also checks the end of
        // the trace when it reads the last block.
        if self.trace.blocks_read() == self.header.grid.count() {
            self.trace.next_block()?;
        }
        let known = self.trace.code().instructions();
        let new = known.get(self.lines.len()..).unwrap_or_default();
        if !new.is_empty() {
            // Streams of earlier blocks keep the shorter list, which contains all of their instructions.
            Arc::make_mut(&mut self.lines).extend(new.iter().map(Line::new));
        }
        let first = block.number().saturating_mul(self.header.warps() as u64);
        let warps = (first..).zip(block.into_warps());
        let streams = warps.map(|(number, warp)| TraceStream {
            header: Arc::clone(&self.header),
            lines: Arc::clone(&self.lines),
            warp,
            local: LOCAL.saturating_add(number.saturating_mul(LOCAL_OF_WARP)),
            at: 0,
        });
        Ok(Some(streams.collect()))
    }
}

impl TraceStream {
    /// Returns the instruction of the warp that follows its first `before` instructions.
    fn line(&self, before: usize) -> Option<&Line> {
        let record = self.warp.records().get(before)?;
        self.lines.get(record.instruction as usize)
    }
}

impl Stream for TraceStream {
    fn next(&self) -> Option<&Instruction> {
        self.line(self.at).map(|line| &line.instruction)
    }

    fn issue(&mut self, effect: &mut Effect) {
        let (Some(record), Some(line)) = (self.warp.records().get(self.at), self.line(self.at)) else {
            return;
        };
        effect.lanes = record.lanes;
        let pc = line.instruction.pc;
        let following = pc.wrapping_add(self.header.instruction_bytes(pc));
        let next = self.line(self.at + 1);
        effect.jumped = next.is_some_and(|next| next.instruction.pc != following);
        if let Some(space) = line.space {
            effect.stride = None;
            if !self.warp.addresses(record, &mut effect.addresses) {
                effect.addresses = [0; 32]; // traces contain no addresses of constants
            }
            for (lane, address) in (0u32..).zip(&mut effect.addresses) {
                *address = match space {
                    accelsim::Space::Local => {
                        let offset = self.header.local_address(*address, lane, line.bytes);
                        self.local.saturating_add(offset % LOCAL_OF_WARP)
                    }
                    accelsim::Space::Shared if line.generic => address.wrapping_sub(self.header.shared_base),
                    _ => *address,
                };
            }
        }
        self.at += 1;
    }

    fn copy(&self) -> Box<dyn Stream + Send> {
        Box::new(self.clone())
    }
}

impl Line {
    fn new(sass: &SassInstruction) -> Line {
        // SASS numbers registers from 0, but the simulator numbers registers from 1. The number
        // in the simulator also determines the bank.
        let register = |&number: &u8| Register {
            number: u16::from(number) + 1,
            bank: u16::from(number) + 1,
        };
        Line {
            instruction: Instruction::new(
                sass.pc,
                operation(sass),
                sass.writes.iter().map(register).collect(),
                sass.reads.iter().map(register).collect(),
                None, // traces list the executing lanes instead of predicates
            ),
            space: sass.kind.space(),
            bytes: sass.bytes,
            generic: sass.generic,
        }
    }
}

/// Maps a SASS instruction to an operation of the simulator.
fn operation(sass: &SassInstruction) -> Operation {
    let number = |number| match number {
        accelsim::Number::Int => Number::Int,
        accelsim::Number::Single => Number::Single,
        accelsim::Number::Double => Number::Double,
    };
    let bytes = sass.bytes;
    match sass.kind {
        // In machine code, each minimum, comparison, logic operation or shift passes through the
        // unit only once. Some of the corresponding PTX instructions take longer.
        Kind::Simple(kind) => Operation::Add(number(kind)),
        Kind::Mul(kind) => Operation::Mul(number(kind)),
        Kind::Mad(kind) => Operation::Mad(number(kind)),
        Kind::Special => Operation::Special,
        Kind::Tensor => Operation::Specialized(Specialized::Tensor),
        Kind::Shuffle => Operation::Shuffle,
        // A move in machine code takes as long as an addition, as in the tables of Accel-Sim.
        Kind::Move => Operation::Add(Number::Int),
        Kind::Branch => Operation::Specialized(Specialized::Branch),
        Kind::Texture => Operation::Specialized(Specialized::Texture),
        Kind::Uniform => Operation::Specialized(Specialized::Uniform),
        Kind::Barrier => Operation::Barrier,
        Kind::Fence => Operation::Fence,
        Kind::Exit => Operation::Exit,
        Kind::Load(from) => Operation::Load {
            space: space(from),
            bytes,
            caching: if sass.skips_l1 { Caching::L2 } else { Caching::All },
        },
        Kind::Store(to) => Operation::Store {
            space: space(to),
            bytes,
        },
        Kind::Atomic(of) => Operation::Atomic {
            space: match of {
                accelsim::Space::Shared => Space::Shared,
                _ => Space::Global,
            },
            bytes,
        },
        Kind::Surface | Kind::Arrive | Kind::Other | Kind::Unknown => Operation::Other,
    }
}

fn space(space: accelsim::Space) -> Space {
    match space {
        accelsim::Space::Global => Space::Global,
        accelsim::Space::Local => Space::Local,
        accelsim::Space::Shared => Space::Shared,
        accelsim::Space::Constant => Space::Constant,
    }
}
