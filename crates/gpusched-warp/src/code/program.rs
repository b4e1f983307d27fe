//! Programs as flat code, which streams execute.

mod alike;
mod bounds;
mod flow;
mod lower;
mod registers;
mod shorten;
mod stack;
mod stream;
mod threads;

use std::sync::{Arc, OnceLock};

pub use alike::{BlockKey, Unlike};
use bounds::Bounds;
pub use bounds::Outside;
pub use stream::WarpStream;

use super::Instruction;
use super::expression::{Compiled, FixedParts, Kept, Postfix};
use gpusched_model::Refusal;
use gpusched_model::program::{Dimensions, Program};

/// A program under its launch, ready to be executed.
#[derive(Debug)]
pub struct Code {
    instructions: Box<[Instruction]>,
    texts: Box<[Box<str>]>,
    steps: Box<[Step]>,
    grid: Dimensions,
    block: Dimensions,
    /// Per warp of a block, where its threads stand, by axis.
    threads: Box<[[Kept; 3]]>,
    /// Loops in one another, at most.
    depth: usize,
    /// What each warp computes once.
    fixed: FixedParts,
    /// All that names the block where it decides how warps go on, if that can be said of blocks; when it is first asked for.
    parts_of_block: OnceLock<Result<Box<[Postfix]>, Unlike>>,
}

/// What executing one instruction takes.
#[derive(Debug, Clone)]
struct Step {
    /// The lanes that execute it; none given: all that are active.
    when: Option<Compiled>,
    /// The first lanes that execute it may; all bits: no matter.
    lanes: u32,
    address: Option<Compiled>,
    /// The buffer that its address names.
    bounds: Option<Arc<Bounds>>,
    flow: Flow,
}

/// Where lanes go from an instruction.
#[derive(Debug, Clone)]
enum Flow {
    /// To the next instruction.
    Next,
    /// Those that execute it jump, the others go to the next.
    Branch(Jump),
    /// As a branch, at the end of a loop: those with rounds left jump.
    Close {
        jump: Jump,
        rounds: Compiled,
        counter: usize,
    },
    /// Those that execute it end.
    Exit,
}

#[derive(Debug, Clone, Copy)]
struct Jump {
    target: u32,
    /// Where both sides meet again; none: not before the end.
    meets: Option<u32>,
}

impl Code {
    /// Lowers `program`.
    ///
    /// # Errors
    /// Those of [`Program::check`].
    pub fn new(program: &Program) -> Result<Code, Refusal> {
        program.check()?;
        lower::lower(program)
    }

    /// The instructions, in the order in which they stand in memory.
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// What issue traces call the instruction at `pc`, if there is one.
    pub fn text(&self, pc: u32) -> Option<&str> {
        let first = self.instructions.first()?.pc;
        let index = pc.checked_sub(first)? / gpusched_model::program::INSTRUCTION_BYTES;
        self.texts.get(index as usize).map(AsRef::as_ref)
    }

    /// Blocks of the grid.
    pub fn blocks(&self) -> u64 {
        self.grid.count()
    }

    /// Warps of each block.
    pub fn warps(&self) -> u32 {
        u32::try_from(self.block.count().div_ceil(32)).unwrap_or(u32::MAX)
    }

    /// What warp `warp` of block `block` executes; nothing if the launch has no such warp.
    pub fn stream(self: &Arc<Code>, block: u64, warp: u32) -> WarpStream {
        WarpStream::new(Arc::clone(self), block, warp)
    }
}
