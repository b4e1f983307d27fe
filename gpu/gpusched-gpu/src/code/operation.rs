//! Operations of instructions, at the level of detail that the timing model needs.

/// Number format, which determines the unit that executes an arithmetic instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Number {
    /// Integers up to 64 bits.
    Int,
    /// 32-bit and narrower floating-point numbers.
    Single,
    /// 64-bit floating-point numbers.
    Double,
}

/// Memory space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Space {
    /// Global and generic memory, accessed through L1, L2 and DRAM.
    Global,
    /// Private memory of a thread, interleaved by lane. Accesses pass through L1, L2 and DRAM.
    Local,
    /// Shared memory of a block.
    Shared,
    /// Constants and kernel parameters, accessed through the constant cache.
    Constant,
}

/// Caches that an access may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Caching {
    /// All caches (`ld.ca`, the default).
    #[default]
    All,
    /// Only L2 (`ld.cg`, atomics and volatile accesses).
    L2,
}

/// Kind of specialized unit. Specialized units execute some SASS instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Specialized {
    /// Branches, calls and convergence of lanes.
    Branch,
    /// Textures.
    Texture,
    /// Matrix instructions.
    Tensor,
    /// Uniform datapath.
    Uniform,
}

impl Specialized {
    /// All kinds, in the order of their units.
    pub const ALL: [Specialized; 4] = [
        Specialized::Branch,
        Specialized::Texture,
        Specialized::Tensor,
        Specialized::Uniform,
    ];
}

impl Number {
    const ALL: [Number; 3] = [Number::Int, Number::Single, Number::Double];
}

/// Operation of an instruction. The machine file defines the unit and the latency of each
/// operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Addition or subtraction.
    Add(Number),
    /// Minimum or maximum.
    Max(Number),
    /// Multiplication.
    Mul(Number),
    /// Fused multiplication and addition (mad, fma).
    Mad(Number),
    /// Division or remainder, executed by the special function unit.
    Div(Number),
    /// Square root, reciprocal, sine, exponential and similar functions.
    Special,
    /// A matrix instruction of the tensor cores.
    Tensor,
    /// A SASS instruction for a specialized unit. On a machine without such a unit, another unit executes the
    /// instruction.
    Specialized(Specialized),
    /// An exchange of values among the lanes of a warp.
    Shuffle,
    /// Every other operation without memory access (mov, cvt, setp, shifts, logic). The integer
    /// unit executes these operations in one cycle.
    Other,
    /// A branch.
    Branch,
    /// A barrier that waits for all warps of the block.
    Barrier,
    /// A memory fence. The warp waits until its pending loads have completed.
    Fence,
    /// A load of `bytes` bytes per lane.
    Load {
        /// Memory space that the load reads.
        space: Space,
        /// Bytes per lane, 1 to 16.
        bytes: u8,
        /// Caches that the load may use.
        caching: Caching,
    },
    /// A store of `bytes` bytes per lane.
    Store {
        /// Memory space that the store writes.
        space: Space,
        /// Bytes per lane, 1 to 16.
        bytes: u8,
    },
    /// An atomic read-modify-write of `bytes` bytes per lane. L2 executes atomics on global memory,
    /// and the SM executes atomics on shared memory.
    Atomic {
        /// Memory space that the atomic accesses: global or shared memory.
        space: Space,
        /// Bytes per lane, 1 to 16.
        bytes: u8,
    },
    /// Exit, which ends all lanes that execute the instruction.
    Exit,
}

impl Operation {
    /// Number of kinds of operations. The unit and the timing of an operation depend only on its
    /// kind. Operations that differ only in their number of bytes have equal kinds.
    pub const KINDS: usize = 41;

    /// Returns one operation of each kind, in the order of kinds.
    pub fn of_each_kind() -> Vec<Operation> {
        let arithmetic: [fn(Number) -> Operation; 5] = [
            Operation::Add,
            Operation::Max,
            Operation::Mul,
            Operation::Mad,
            Operation::Div,
        ];
        let spaces = [Space::Global, Space::Local, Space::Shared, Space::Constant];
        let load = |space, caching| Operation::Load {
            space,
            bytes: 4,
            caching,
        };
        let atomic = |space| Operation::Atomic { space, bytes: 4 };
        let arithmetic = arithmetic.iter().flat_map(|of| Number::ALL.map(of));
        let others = [
            Operation::Special,
            Operation::Tensor,
            Operation::Shuffle,
            Operation::Other,
            Operation::Branch,
            Operation::Barrier,
            Operation::Fence,
            Operation::Exit,
            atomic(Space::Global),
        ];
        arithmetic
            .chain(others)
            .chain(spaces.map(|space| load(space, Caching::All)))
            .chain(spaces.map(|space| load(space, Caching::L2)))
            .chain(spaces.map(|space| Operation::Store { space, bytes: 4 }))
            .chain([atomic(Space::Shared)])
            .chain(Specialized::ALL.map(Operation::Specialized))
            .collect()
    }

    /// Returns the number of bytes per lane; 0 if the operation does not access memory.
    pub fn bytes(&self) -> u8 {
        match *self {
            Operation::Load { bytes, .. }
            | Operation::Store { bytes, .. }
            | Operation::Atomic { bytes, .. } => bytes,
            _ => 0,
        }
    }

    /// Returns the number of the kind of the operation. The number is less than [`Operation::KINDS`].
    pub fn kind(&self) -> usize {
        match *self {
            Operation::Add(number) => number as usize,
            Operation::Max(number) => 3 + number as usize,
            Operation::Mul(number) => 6 + number as usize,
            Operation::Mad(number) => 9 + number as usize,
            Operation::Div(number) => 12 + number as usize,
            Operation::Special => 15,
            Operation::Tensor => 16,
            Operation::Shuffle => 17,
            Operation::Other => 18,
            Operation::Branch => 19,
            Operation::Barrier => 20,
            Operation::Fence => 21,
            Operation::Exit => 22,
            Operation::Atomic {
                space: Space::Shared, ..
            } => 36,
            Operation::Atomic { .. } => 23,
            Operation::Specialized(kind) => 37 + kind as usize,
            Operation::Load { space, caching, .. } => 24 + 4 * caching as usize + space as usize,
            Operation::Store { space, .. } => 32 + space as usize,
        }
    }
}
