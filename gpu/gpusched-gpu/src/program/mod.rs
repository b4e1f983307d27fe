//! Kernel programs. A program describes the operations of threads that affect the timing of a
//! kernel.
//!
//! A program consists of a launch (grid, block, parameters, buffers) and a body of [`Statement`]s. Each instruction
//! names the registers that it writes and reads. Addresses, conditions and numbers of loop rounds are [`Expression`]s.
//! The expressions use thread positions, loop counters, parameters and buffers. The simulator computes only values that
//! affect the timing.

mod builtin;
mod check;
mod dimensions;
pub mod expression;
mod names;
mod op;
mod overrides;
mod raw;
mod statement;
pub mod values;
mod write;

pub use builtin::Builtin;
pub use dimensions::Dimensions;
pub use expression::Expression;
pub use names::{Buffer, Ordered};
pub use op::{Cache, MemorySpace, Op};
pub use overrides::Overrides;
pub use statement::{Access, Branch, Instruction, Loop, Repeat, Statement};
pub use values::{Contents, Values};

use serde::{Deserialize, Serialize};

use crate::machine::MachineShape;
use gpusched_model::reader::Documents;

/// A stream of kernel programs.
pub type Programs = Documents<Program>;

/// Address of the first buffer of a program. GPGPU-Sim uses the same address.
pub const FIRST_ADDRESS: u64 = 0xC000_0000;

/// Alignment of buffers [bytes].
pub const ALIGNMENT: u64 = 256;

/// Distance between the addresses of two consecutive instructions [bytes].
pub const INSTRUCTION_BYTES: u32 = 8;

/// A kernel program with its launch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "raw::RawProgram", into = "raw::RawProgram")]
pub struct Program {
    /// Name of the kernel.
    pub name: String,
    /// Origin of the program, as text for display.
    pub source: Option<String>,
    /// Number of thread blocks along each axis.
    pub grid: Dimensions,
    /// Number of threads of a block along each axis; at most 1024 in total.
    pub block: Dimensions,
    /// Number of registers of one thread.
    pub registers: u32,
    /// Shared memory of one block [bytes].
    pub shared_memory: u32,
    /// Address of the first instruction [bytes].
    pub pc: u32,
    /// Named numbers that expressions can use.
    pub parameters: Vec<(String, i64)>,
    /// Named memory areas that expressions can use. Buffers without an address are in memory one after another, in this
    /// order.
    pub buffers: Vec<(String, Buffer)>,
    /// Statements that each thread executes.
    pub body: Vec<Statement>,
}

impl Program {
    /// Default number of registers of one thread.
    pub const REGISTERS: u32 = 16;

    /// Returns the address of each buffer, in the order of the buffers.
    pub fn addresses(&self) -> Vec<u64> {
        let mut next = FIRST_ADDRESS;
        let place = |(_, buffer): &(String, Buffer)| {
            let address = buffer.address.unwrap_or(next);
            next = address
                .saturating_add(buffer.bytes)
                .div_ceil(ALIGNMENT)
                .saturating_mul(ALIGNMENT);
            address
        };
        self.buffers.iter().map(place).collect()
    }

    /// Returns the value of `name` if the value is constant during a launch. Parameters,
    /// addresses of buffers, and sizes of the grid and of blocks are constant.
    pub fn value(&self, name: &str) -> Option<i64> {
        if let Some((_, value)) = self.parameters.iter().find(|(known, _)| known == name) {
            return Some(*value);
        }
        let buffer = self
            .buffers
            .iter()
            .zip(self.addresses())
            .find(|((known, _), _)| known == name);
        if let Some((_, address)) = buffer {
            return i64::try_from(address).ok();
        }
        Builtin::named(name)?.of_launch(self.grid, self.block)
    }

    /// Returns whether an SM of `machine` accepts each reply to the kernel in the first cycle. The instructions alone
    /// show this, so it holds for all launches, beside every kernel on other SMs.
    pub fn is_accepting(&self, machine: &MachineShape) -> bool {
        machine.accepts_at_once() && !self.body.iter().any(Statement::goes_past_l1)
    }

    /// Returns the number of thread blocks of the grid.
    pub fn blocks(&self) -> u64 {
        self.grid.count()
    }

    /// Returns the number of warps of each block. The last warp may have fewer than 32 threads.
    pub fn warps(&self) -> u32 {
        u32::try_from(self.block.count().div_ceil(32)).unwrap_or(u32::MAX)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Program {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Program".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        raw::RawProgram::json_schema(generator)
    }
}

impl<T> From<Ordered<T>> for Vec<(String, T)> {
    fn from(ordered: Ordered<T>) -> Vec<(String, T)> {
        ordered.0
    }
}
