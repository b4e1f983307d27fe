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

/// A program with its launch, ready for execution.
#[derive(Debug)]
pub struct Code {
    instructions: Box<[Instruction]>,
    texts: Box<[Box<str>]>,
    steps: Box<[Step]>,
    grid: Dimensions,
    block: Dimensions,
    /// Position of the threads of each warp of a block, per axis.
    threads: Box<[[Kept; 3]]>,
    /// Maximum nesting depth of loops.
    depth: usize,
    /// The parts of expressions that each warp computes once.
    fixed: FixedParts,
    /// The expressions through which the block decides the behavior of its warps, or the reason why no such
    /// list exists. Computed at the first request.
    parts_of_block: OnceLock<Result<Box<[Postfix]>, Unlike>>,
}

/// The data to execute one instruction.
#[derive(Debug, Clone)]
struct Step {
    /// Condition for the lanes that execute the instruction; `None` selects all active lanes.
    when: Option<Compiled>,
    /// Mask of the first lanes that may execute the instruction; all bits set means no limit.
    lanes: u32,
    address: Option<Compiled>,
    /// Buffer that the address names.
    bounds: Option<Arc<Bounds>>,
    flow: Flow,
}

/// Control flow after an instruction.
#[derive(Debug, Clone)]
enum Flow {
    /// All lanes continue with the next instruction.
    Next,
    /// The executing lanes jump, and all other lanes continue with the next instruction.
    Branch(Jump),
    /// A branch at the end of a loop: lanes with remaining rounds jump.
    Close {
        jump: Jump,
        rounds: Compiled,
        counter: usize,
    },
    /// The executing lanes end.
    Exit,
}

#[derive(Debug, Clone, Copy)]
struct Jump {
    target: u32,
    /// Instruction where both sides reconverge; `None` if they reconverge only at the end.
    meets: Option<u32>,
}

impl Code {
    /// Lowers `program` to flat code.
    ///
    /// # Errors
    /// Fails as [`Program::check`] does, or if the lowered program exceeds a limit.
    pub fn new(program: &Program) -> Result<Code, Refusal> {
        program.check()?;
        lower::lower(program)
    }

    /// Returns the instructions in memory order.
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// Returns the text of the instruction at `pc` in issue traces, if the instruction exists.
    pub fn text(&self, pc: u32) -> Option<&str> {
        let first = self.instructions.first()?.pc;
        let index = pc.checked_sub(first)? / gpusched_model::program::INSTRUCTION_BYTES;
        self.texts.get(index as usize).map(AsRef::as_ref)
    }

    /// Returns the number of blocks in the grid.
    pub fn blocks(&self) -> u64 {
        self.grid.count()
    }

    /// Returns the number of warps in each block.
    pub fn warps(&self) -> u32 {
        u32::try_from(self.block.count().div_ceil(32)).unwrap_or(u32::MAX)
    }

    /// Returns the stream of warp `warp` of block `block`. The stream is empty if the launch has no such warp.
    pub fn stream(self: &Arc<Code>, block: u64, warp: u32) -> WarpStream {
        WarpStream::new(Arc::clone(self), block, warp)
    }
}
