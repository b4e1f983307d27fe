//! Operations of instructions.

use serde::{Deserialize, Serialize};

macro_rules! ops {
    ($($(#[$doc:meta])* $op:ident = $name:literal,)*) => {
        /// Operation of an instruction. In the name of an arithmetic operation, the suffix states the number type:
        /// integer (`int`), 32-bit floating point (`single`) or 64-bit floating point (`double`).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum Op {
            $($(#[$doc])* #[serde(rename = $name)] $op,)*
        }

        impl Op {
            /// All operations.
            pub const ALL: &[Op] = &[$(Op::$op,)*];

            /// Returns the name of the operation in programs.
            pub fn name(self) -> &'static str {
                match self {
                    $(Op::$op => $name,)*
                }
            }
        }
    };
}

ops! {
    /// Addition or subtraction of integers.
    AddInt = "add.int",
    /// Addition or subtraction in 32-bit floating point.
    AddSingle = "add.single",
    /// Addition or subtraction in 64-bit floating point.
    AddDouble = "add.double",
    /// Minimum or maximum of integers.
    MaxInt = "max.int",
    /// Minimum or maximum in 32-bit floating point.
    MaxSingle = "max.single",
    /// Minimum or maximum in 64-bit floating point.
    MaxDouble = "max.double",
    /// Multiplication of integers.
    MulInt = "mul.int",
    /// Multiplication in 32-bit floating point.
    MulSingle = "mul.single",
    /// Multiplication in 64-bit floating point.
    MulDouble = "mul.double",
    /// Multiply-add of integers.
    MadInt = "mad.int",
    /// Multiply-add in 32-bit floating point.
    MadSingle = "mad.single",
    /// Multiply-add in 64-bit floating point.
    MadDouble = "mad.double",
    /// Division or remainder of integers.
    DivInt = "div.int",
    /// Division in 32-bit floating point.
    DivSingle = "div.single",
    /// Division in 64-bit floating point.
    DivDouble = "div.double",
    /// Square root, reciprocal, sine, exponential or a similar special function.
    Special = "special",
    /// A matrix instruction on tensor cores.
    Tensor = "tensor",
    /// Exchange of values among the lanes of a warp.
    Shuffle = "shuffle",
    /// Any other operation that does not access memory, such as a move, conversion, comparison, shift or logic
    /// operation.
    Other = "other",
    /// A branch to the next instruction.
    Branch = "branch",
    /// Barrier: waits for all warps of the block.
    Barrier = "barrier",
    /// Memory fence: waits for the pending loads of the warp.
    Fence = "fence",
    /// Load: reads memory.
    Load = "load",
    /// Store: writes memory.
    Store = "store",
    /// Atomic operation: reads, modifies and writes global or shared memory.
    Atomic = "atomic",
    /// Exit: ends the threads that execute the instruction.
    Exit = "exit",
}

impl Op {
    /// Returns whether the operation accesses memory and therefore has an address.
    pub fn accesses_memory(self) -> bool {
        matches!(self, Op::Load | Op::Store | Op::Atomic)
    }
}

/// A memory space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum MemorySpace {
    /// Global memory. Accesses use L1, L2 and DRAM.
    #[default]
    Global,
    /// Local memory of one thread.
    Local,
    /// Shared memory of one block.
    Shared,
    /// Constant memory, including the parameters of the kernel.
    Constant,
}

/// Caches that a load may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Cache {
    /// All caches.
    #[default]
    All,
    /// L2 only; the load bypasses L1.
    L2,
}
