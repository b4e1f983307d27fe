//! Programs as flat code. Streams execute this code.

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

/// Program with its launch, ready for execution.
#[derive(Debug)]
pub struct Code {
    instructions: Box<[Instruction]>,
    texts: Box<[Box<str>]>,
    steps: Box<[Step]>,
    grid: Dimensions,
    block: Dimensions,
    /// Position in the block of the threads of each warp, per axis.
    threads: Box<[[Kept; 3]]>,
    /// Maximum nesting depth of loops.
    depth: usize,
    /// Parts of expressions that each warp computes only once.
    fixed: FixedParts,
    /// Expressions whose values determine how the block affects the behavior of its warps. If these expressions cannot
    /// be listed, contains the reason instead. Computed at the first request.
    parts_of_block: OnceLock<Result<Box<[Postfix]>, Unlike>>,
}

/// Data that the execution of one instruction requires.
#[derive(Debug, Clone)]
struct Step {
    /// Condition that a lane must satisfy to execute the instruction. `None` selects all active lanes.
    when: Option<Compiled>,
    /// Mask of the lanes that may execute the instruction; always the lowest lanes. All bits are set if there is no
    /// limit.
    lanes: u32,
    address: Option<Compiled>,
    /// Bounds of the buffer that the address refers to, for the detection of accesses outside it.
    bounds: Option<Arc<Bounds>>,
    flow: Flow,
}

/// Control flow after an instruction.
#[derive(Debug, Clone)]
enum Flow {
    /// All lanes continue with the next instruction.
    Next,
    /// The executing lanes jump. All other lanes continue with the next instruction.
    Branch(Jump),
    /// A branch at the end of a loop. Lanes with remaining rounds jump.
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
    /// Instruction where the jumping lanes and the other lanes reconverge. `None` if they reconverge only at the end.
    meets: Option<u32>,
}

impl Code {
    /// Lowers `program` to flat code.
    ///
    /// # Errors
    /// Fails if [`Program::check`] fails, or if the lowered program exceeds a limit.
    pub fn new(program: &Program) -> Result<Code, Refusal> {
        program.check()?;
        lower::lower(program)
    }

    /// Returns the instructions in memory order.
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// Returns the text that represents the instruction at `pc` in issue traces; `None` if there is no such
    /// instruction.
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

    /// Returns the instruction stream of warp `warp` of block `block`. The stream is empty if the launch has no such
    /// warp.
    pub fn stream(self: &Arc<Code>, block: u64, warp: u32) -> WarpStream {
        WarpStream::new(Arc::clone(self), block, warp)
    }
}
