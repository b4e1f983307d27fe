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

impl Number {
    const ALL: [Number; 3] = [Number::Int, Number::Single, Number::Double];
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

impl Operation {
    /// Kinds of operations that a machine may treat differently: by what they do, not how many bytes at once.
    pub const KINDS: usize = 36;

    /// An operation of each kind, in order.
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
            Operation::Atomic { bytes: 4 },
        ];
        arithmetic
            .chain(others)
            .chain(spaces.map(|space| load(space, Caching::All)))
            .chain(spaces.map(|space| load(space, Caching::L2)))
            .chain(spaces.map(|space| Operation::Store { space, bytes: 4 }))
            .collect()
    }

    /// Bytes per lane; 0 if it is no access.
    pub fn bytes(&self) -> u8 {
        match *self {
            Operation::Load { bytes, .. } | Operation::Store { bytes, .. } | Operation::Atomic { bytes } => {
                bytes
            }
            _ => 0,
        }
    }

    /// The number of its kind, below [`Operation::KINDS`].
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
            Operation::Atomic { .. } => 23,
            Operation::Load { space, caching, .. } => 24 + 4 * caching as usize + space as usize,
            Operation::Store { space, .. } => 32 + space as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_counted_in_order() {
        let kinds: Vec<usize> = Operation::of_each_kind().iter().map(Operation::kind).collect();
        assert_eq!(kinds, (0..Operation::KINDS).collect::<Vec<_>>());
    }
}
