//! What an instruction does, as far as its timing goes.

/// A kind of number, which decides the unit an arithmetic instruction goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Number {
    /// Integers up to 64 bits.
    Int,
    /// 32-bit (and narrower) floating point.
    Single,
    /// 64-bit floating point.
    Double,
}

/// A memory space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Space {
    /// Global (and generic) memory: L1, L2, DRAM.
    Global,
    /// A thread's own memory, interleaved by lane; goes the way of global memory.
    Local,
    /// Shared memory of a block.
    Shared,
    /// Constants and kernel parameters, through the constant cache.
    Constant,
}

/// Which caches an access may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Caching {
    /// All of them (`ld.ca`, the default).
    #[default]
    All,
    /// L2 only (`ld.cg`, atomics, volatile).
    L2,
}

/// What an instruction does. The machine says which unit runs it and how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Addition or subtraction.
    Add(Number),
    /// Minimum or maximum.
    Max(Number),
    /// Multiplication.
    Mul(Number),
    /// Multiplication and addition in one (mad, fma).
    Mad(Number),
    /// Division or remainder; runs on the special function unit.
    Div(Number),
    /// Square root, reciprocal, sine, exponential …
    Special,
    /// A matrix instruction of the tensor cores.
    Tensor,
    /// Exchange among the lanes of a warp.
    Shuffle,
    /// Everything else without memory (mov, cvt, setp, shifts, logic): the integer unit, one cycle.
    Other,
    /// A branch.
    Branch,
    /// Waits for all warps of the block.
    Barrier,
    /// Waits for the warp's own stores.
    Fence,
    /// A load of `bytes` per lane.
    Load {
        /// From where.
        space: Space,
        /// Bytes per lane, 1 to 16.
        bytes: u8,
        /// Through which caches.
        caching: Caching,
    },
    /// A store of `bytes` per lane.
    Store {
        /// To where.
        space: Space,
        /// Bytes per lane, 1 to 16.
        bytes: u8,
    },
    /// An atomic read-modify-write of `bytes` per lane, done in L2.
    Atomic {
        /// Bytes per lane, 1 to 16.
        bytes: u8,
    },
    /// The end of the lanes that execute it.
    Exit,
}
