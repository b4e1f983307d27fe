//! Flat code of programs. Instruction streams execute this code.

mod alike;
mod bounds;
mod flow;
mod lower;
mod registers;
mod stack;
mod stream;
mod threads;

use std::sync::{Arc, OnceLock};

pub use alike::{BlockKey, Unlike};
use bounds::Bounds;
pub use bounds::Outside;
pub use stream::WarpStream;

use super::expression::{Compiled, FixedParts, Kept, Missing, Postfix, Tables};
use super::{Effect, Instruction, Stream};
use crate::program::{Contents, Dimensions, Program, Values};
use gpusched_model::Refusal;

/// Program with its grid and block size, ready for execution.
#[derive(Debug)]
pub struct Code {
    instructions: Box<[Instruction]>,
    texts: Box<[Box<str>]>,
    steps: Box<[Step]>,
    grid: Dimensions,
    block: Dimensions,
    /// Positions of the threads of each warp in their block, per axis.
    threads: Box<[[Kept; 3]]>,
    /// Maximum nesting depth of loops.
    depth: usize,
    /// Parts of expressions that each warp computes only once.
    fixed: FixedParts,
    /// Expressions that determine how the behavior of a warp depends on its block. An error
    /// states why gpusched cannot list these expressions. The first call of [`Code::block_key`]
    /// computes this field.
    parts_of_block: OnceLock<Result<Box<[Postfix]>, Unlike>>,
    /// Buffers with values.
    tables: Tables,
    /// Description of the first read of a missing buffer value.
    missing: OnceLock<String>,
}

/// Data that the execution of one instruction requires.
#[derive(Debug, Clone)]
struct Step {
    /// Condition that a lane must satisfy to execute the instruction. `None` selects all active lanes.
    when: Option<Compiled>,
    /// Lanes that may execute the instruction, one bit per lane. The mask contains the lowest
    /// lanes, or all lanes if the program sets no limit.
    lanes: u32,
    address: Option<Compiled>,
    /// Bounds of the buffer that the address refers to. gpusched uses these bounds to detect accesses outside the
    /// buffer.
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
    /// Instruction where the jumping lanes and the other lanes reconverge. `None` if the lanes
    /// reconverge only at the end of the program.
    meets: Option<u32>,
}

impl Code {
    /// Lowers `program` to flat code.
    ///
    /// # Errors
    /// Fails if [`Program::check`] fails, if the values of a buffer are in a file that is not read
    /// ([`Program::read_values`]), or if the flat code exceeds a limit.
    pub fn new(program: &Program) -> Result<Code, Refusal> {
        program.check()?;
        for (name, buffer) in &program.buffers {
            if let Some(Contents {
                values: Values::File(path),
                ..
            }) = &buffer.contents
            {
                let found = format!("the file `{}`, which is not read", path.display());
                return Refusal::refuse(format!("buffers.{name}.values"), found, "a list of values");
            }
        }
        lower::lower(program)
    }

    /// Returns the instructions in the order of their addresses.
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// Returns the text of the instruction at `pc`, as issue traces show it. Returns `None` if no
    /// instruction has this address.
    pub fn text(&self, pc: u32) -> Option<&str> {
        let first = self.instructions.first()?.pc;
        let index = pc.checked_sub(first)? / crate::program::INSTRUCTION_BYTES;
        self.texts.get(index as usize).map(AsRef::as_ref)
    }

    /// Describes the first read of a missing buffer value (`value(buffer, index)`) by any stream of this code so far.
    /// Returns `None` if there is no such read.
    pub fn missing(&self) -> Option<&str> {
        self.missing.get().map(String::as_str)
    }

    /// If a lane is in `lanes` and in `missing`, records that the instruction at `index` reads a missing buffer value.
    #[cold]
    fn note_missing(&self, index: u32, missing: &[Missing], lanes: u32) {
        let executes = |missing: &&Missing| lanes >> missing.lane & 1 == 1;
        let Some(first) = missing.iter().find(executes) else {
            return;
        };
        self.missing.get_or_init(|| {
            let index = index as usize;
            let text = self.texts.get(index).map_or("", |text| text);
            let pc = self
                .instructions
                .get(index)
                .map_or(0, |instruction| instruction.pc);
            format!("`{text}` at pc {pc:#x}: {}", self.tables.describe(first))
        });
    }

    /// Returns the number of blocks in the grid.
    pub fn blocks(&self) -> u64 {
        self.grid.count()
    }

    /// Returns the number of warps in each block.
    pub fn warps(&self) -> u32 {
        u32::try_from(self.block.count().div_ceil(32)).unwrap_or(u32::MAX)
    }

    /// Returns the number of instructions that the warps of `block` issue. The count stops at `most`.
    pub fn instructions_of(self: &Arc<Code>, block: u64, most: u64) -> u64 {
        let mut effect = Effect::default();
        let mut count = 0;
        for warp in 0..self.warps() {
            let mut stream = self.stream(block, warp);
            while count < most && stream.next().is_some() {
                stream.issue(&mut effect);
                count += 1;
            }
        }
        count
    }

    /// Returns the instruction stream of warp `warp` of block `block`. The stream is empty if the launch has no such
    /// warp.
    pub fn stream(self: &Arc<Code>, block: u64, warp: u32) -> WarpStream {
        WarpStream::new(Arc::clone(self), block, warp)
    }
}
