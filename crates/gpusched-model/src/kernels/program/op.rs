//! What an instruction of a program does.

use serde::{Deserialize, Serialize};

macro_rules! ops {
    ($($(#[$doc:meta])* $op:ident = $name:literal,)*) => {
        /// What an instruction does. Arithmetic says on which numbers: integers, 32-bit or 64-bit floating point.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
        pub enum Op {
            $($(#[$doc])* #[serde(rename = $name)] $op,)*
        }

        impl Op {
            /// All.
            pub const ALL: &[Op] = &[$(Op::$op,)*];

            /// Its name in programs.
            pub fn name(self) -> &'static str {
                match self {
                    $(Op::$op => $name,)*
                }
            }
        }
    };
}

ops! {
    /// Addition or subtraction.
    AddInt = "add.int",
    /// Addition or subtraction.
    AddSingle = "add.single",
    /// Addition or subtraction.
    AddDouble = "add.double",
    /// Minimum or maximum.
    MaxInt = "max.int",
    /// Minimum or maximum.
    MaxSingle = "max.single",
    /// Minimum or maximum.
    MaxDouble = "max.double",
    /// Multiplication.
    MulInt = "mul.int",
    /// Multiplication.
    MulSingle = "mul.single",
    /// Multiplication.
    MulDouble = "mul.double",
    /// Multiplication and addition in one.
    MadInt = "mad.int",
    /// Multiplication and addition in one.
    MadSingle = "mad.single",
    /// Multiplication and addition in one.
    MadDouble = "mad.double",
    /// Division or remainder.
    DivInt = "div.int",
    /// Division.
    DivSingle = "div.single",
    /// Division.
    DivDouble = "div.double",
    /// Square root, reciprocal, sine, exponential …
    Special = "special",
    /// A matrix instruction.
    Tensor = "tensor",
    /// Exchange among the lanes of a warp.
    Shuffle = "shuffle",
    /// Everything else without memory: moves, conversions, comparisons, shifts, logic.
    Other = "other",
    /// A branch to the next instruction.
    Branch = "branch",
    /// Waits for all warps of the block.
    Barrier = "barrier",
    /// Waits for the warp's own stores.
    Fence = "fence",
    /// Reads memory.
    Load = "load",
    /// Writes memory.
    Store = "store",
    /// Reads, modifies and writes global memory.
    Atomic = "atomic",
    /// Ends the lanes that execute it.
    Exit = "exit",
}

impl Op {
    /// Whether it has an address.
    pub fn accesses_memory(self) -> bool {
        matches!(self, Op::Load | Op::Store | Op::Atomic)
    }
}

/// A memory space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MemorySpace {
    /// Global memory: L1, L2, DRAM.
    #[default]
    Global,
    /// A thread's own memory.
    Local,
    /// Shared memory of a block.
    Shared,
    /// Constants and parameters of the kernel.
    Constant,
}

/// Which caches a load may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Cache {
    /// All of them.
    #[default]
    All,
    /// L2 only.
    L2,
}
