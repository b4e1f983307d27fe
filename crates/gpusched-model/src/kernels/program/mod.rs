//! Kernel programs: what the threads of a kernel do, as far as its timing goes.
//!
//! A program is a launch (grid, block, parameters, buffers) and a body of [`Statement`]s. Instructions name the registers
//! they write and read; addresses, conditions and rounds of loops are [`Expression`]s over the position of a thread,
//! counters of loops, parameters and buffers, so that no value is ever computed that timing does not depend on.

mod builtin;
mod check;
mod dimensions;
pub mod expression;
mod line;
mod names;
mod op;
mod overrides;
mod raw;
mod statement;
mod write;

pub use builtin::Builtin;
pub use dimensions::Dimensions;
pub use expression::Expression;
pub use line::line_of;
pub use names::{Buffer, Ordered};
pub use op::{Cache, MemorySpace, Op};
pub use overrides::Overrides;
pub use statement::{Access, Branch, Instruction, Loop, Repeat, Statement};

use serde::{Deserialize, Serialize};

/// Where the first buffer of a program lies, as in GPGPU-Sim.
pub const FIRST_ADDRESS: u64 = 0xC000_0000;

/// Buffers start at multiples of this [bytes].
pub const ALIGNMENT: u64 = 256;

/// Bytes between two instructions.
pub const INSTRUCTION_BYTES: u32 = 8;

/// A kernel and its launch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "raw::RawProgram", into = "raw::RawProgram")]
pub struct Program {
    /// The kernel's name.
    pub name: String,
    /// Where it comes from, for people.
    pub source: Option<String>,
    /// Thread blocks.
    pub grid: Dimensions,
    /// Threads of a block, at most 1024.
    pub block: Dimensions,
    /// Registers of a thread.
    pub registers: u32,
    /// Shared memory of a block [bytes].
    pub shared_memory: u32,
    /// Address of the first instruction [bytes].
    pub pc: u32,
    /// Numbers that expressions may name.
    pub parameters: Vec<(String, i64)>,
    /// Memory that expressions may name, in the order in which it is laid out.
    pub buffers: Vec<(String, Buffer)>,
    /// What a thread does.
    pub body: Vec<Statement>,
}

impl Program {
    /// Registers of a thread where a program does not say.
    pub const REGISTERS: u32 = 16;

    /// The address of each buffer, in order.
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

    /// What `name` stands for throughout a launch: a parameter, the address of a buffer, or a size of grid or block.
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

    /// Blocks of the grid.
    pub fn blocks(&self) -> u64 {
        self.grid.count()
    }

    /// Warps of each block; the last may have fewer than 32 threads.
    pub fn warps(&self) -> u32 {
        u32::try_from(self.block.count().div_ceil(32)).unwrap_or(u32::MAX)
    }
}

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
