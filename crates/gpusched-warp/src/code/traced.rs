//! Traces of machine code as streams of instructions.

use std::sync::Arc;

use super::{Caching, Effect, Instruction, Number, Operation, Register, Space, Stream};
use crate::accelsim::{self, Header, Kind, SassInstruction, TraceFile, Warp};
use gpusched_model::error::Result;

/// Where local memory lies: far above the memory of any GPU.
const LOCAL: u64 = 1 << 52;

/// The most local memory of a warp: 512 KiB for each of its threads (CUDA Programming Guide).
const LOCAL_OF_WARP: u64 = 1 << 24;

/// A kernel of which there is a trace: the streams of its warps, block by block.
#[derive(Debug)]
pub struct TracedKernel {
    trace: TraceFile,
    header: Arc<Header>,
    lines: Arc<Vec<Line>>,
}

/// An instruction, and what its addresses mean.
#[derive(Debug, Clone)]
struct Line {
    instruction: Instruction,
    space: Option<accelsim::Space>,
    bytes: u8,
    generic: bool,
}

/// What one warp executed.
#[derive(Debug, Clone)]
pub struct TraceStream {
    header: Arc<Header>,
    lines: Arc<Vec<Line>>,
    warp: Warp,
    /// Where its local memory begins.
    local: u64,
    /// Instructions issued.
    at: usize,
}

impl TracedKernel {
    /// The kernel of `trace`, of which no block has been read.
    pub fn new(trace: TraceFile) -> TracedKernel {
        TracedKernel {
            header: Arc::new(trace.header().clone()),
            lines: Arc::default(),
            trace,
        }
    }

    /// Grid, block, registers, shared memory.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// What issue traces call the instruction at `pc`, if a block that was read has it.
    pub fn text(&self, pc: u32) -> Option<&str> {
        let mut known = self.trace.code().instructions().iter();
        known
            .find(|known| known.pc == pc)
            .map(|known| known.opcode.as_str())
    }

    /// The streams of the next thread block, one per warp; `None` after the last. Blocks come in the order in which a GPU
    /// dispatches them.
    ///
    /// # Errors
    /// Those of [`TraceFile::next_block`].
    pub fn next_block(&mut self) -> Result<Option<Vec<TraceStream>>> {
        let Some(block) = self.trace.next_block()? else {
            return Ok(None);
        };
        // What follows the last block is no part of the kernel, and refused with it.
        if self.trace.blocks_read() == self.header.grid.count() {
            self.trace.next_block()?;
        }
        let known = self.trace.code().instructions();
        let new = known.get(self.lines.len()..).unwrap_or_default();
        if !new.is_empty() {
            // Streams of earlier blocks keep what they have: it is all they need.
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
    /// The instruction that is issued after `before` others.
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
                effect.addresses = [0; 32]; // of constants, which traces do not have
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
        // SASS counts registers from 0. Their bank follows from the same number.
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
                None, // traces do not have predicates, only the lanes that they left
            ),
            space: sass.kind.space(),
            bytes: sass.bytes,
            generic: sass.generic,
        }
    }
}

/// What `sass` does in the terms of the simulator.
fn operation(sass: &SassInstruction) -> Operation {
    let number = |number| match number {
        accelsim::Number::Int => Number::Int,
        accelsim::Number::Single => Number::Single,
        accelsim::Number::Double => Number::Double,
    };
    let bytes = sass.bytes;
    match sass.kind {
        // Minima, comparisons, logic and shifts are one pass through the unit in machine code, whatever PTX pays for them.
        Kind::Simple(kind) => Operation::Add(number(kind)),
        Kind::Mul(kind) => Operation::Mul(number(kind)),
        Kind::Mad(kind) => Operation::Mad(number(kind)),
        Kind::Special => Operation::Special,
        Kind::Tensor => Operation::Tensor,
        Kind::Shuffle => Operation::Shuffle,
        // A move that is left in machine code takes as long as an addition (Accel-Sim's tables, too).
        Kind::Move => Operation::Add(Number::Int),
        Kind::Branch => Operation::Branch,
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
        // Those in shared memory never leave the SM.
        Kind::Atomic(accelsim::Space::Shared) => Operation::Load {
            space: Space::Shared,
            bytes,
            caching: Caching::All,
        },
        Kind::Atomic(_) => Operation::Atomic { bytes },
        Kind::Uniform | Kind::Texture | Kind::Arrive | Kind::Other | Kind::Unknown => Operation::Other,
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
