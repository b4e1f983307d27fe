//! Functions that expressions can call.

/// A function that expressions can call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Function {
    /// `min(x, y)`: minimum.
    Min,
    /// `max(x, y)`: maximum.
    Max,
    /// `abs(x)`: absolute value.
    Abs,
    /// `s8(x)`, `s16(x)`, `s32(x)`: the lowest 8, 16 or 32 bits of x as a signed number.
    Signed(u8),
    /// `u8(x)`, `u16(x)`, `u32(x)`: the lowest 8, 16 or 32 bits of x as an unsigned number.
    Unsigned(u8),
    /// `hash(x, …)`: a pseudo-random number from 0 to 2⁶³ − 1. The same arguments always give the same number.
    Hash,
    /// `random(n, x, …)`: `hash(x, …)` modulo n, or 0 if n is not positive.
    Random,
}

impl Function {
    /// All functions with their names.
    pub const ALL: [(&str, Function); 11] = [
        ("min", Function::Min),
        ("max", Function::Max),
        ("abs", Function::Abs),
        ("s8", Function::Signed(8)),
        ("s16", Function::Signed(16)),
        ("s32", Function::Signed(32)),
        ("u8", Function::Unsigned(8)),
        ("u16", Function::Unsigned(16)),
        ("u32", Function::Unsigned(32)),
        ("hash", Function::Hash),
        ("random", Function::Random),
    ];

    /// Returns the name of the function.
    pub fn name(self) -> &'static str {
        let entry = Function::ALL.iter().find(|(_, function)| *function == self);
        entry.map_or("", |(name, _)| name)
    }

    /// Returns the minimum and maximum number of arguments.
    pub fn arity(self) -> (usize, usize) {
        match self {
            Function::Min | Function::Max => (2, 2),
            Function::Abs | Function::Signed(_) | Function::Unsigned(_) => (1, 1),
            Function::Hash => (1, 8),
            Function::Random => (2, 8),
        }
    }

    /// Computes the value of the function. Missing arguments count as 0.
    #[inline]
    pub fn apply(self, arguments: &[i64]) -> i64 {
        let argument = |index: usize| arguments.get(index).copied().unwrap_or(0);
        match self {
            Function::Min => argument(0).min(argument(1)),
            Function::Max => argument(0).max(argument(1)),
            Function::Abs => argument(0).wrapping_abs(),
            Function::Signed(bits) => signed(argument(0), bits),
            Function::Unsigned(bits) => unsigned(argument(0), bits),
            Function::Hash => hash(arguments),
            Function::Random => match argument(0) {
                n @ 1.. => hash(arguments.get(1..).unwrap_or(&[])) % n,
                _ => 0,
            },
        }
    }
}

/// Returns the lowest `bits` bits of `x` as a signed number. `bits` is from 1 to 63.
pub fn signed(x: i64, bits: u8) -> i64 {
    let unused = 64 - u32::from(bits.clamp(1, 63));
    x << unused >> unused
}

/// Returns the lowest `bits` bits of `x` as an unsigned number. `bits` is from 1 to 63.
pub fn unsigned(x: i64, bits: u8) -> i64 {
    x & ((1 << bits.clamp(1, 63)) - 1)
}

/// Hashes the arguments one after another with the finalizer of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014).
fn hash(arguments: &[i64]) -> i64 {
    let mut state = 0_u64;
    for argument in arguments {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15) ^ argument.cast_unsigned();
        state = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        state = (state ^ state >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        state ^= state >> 31;
    }
    (state >> 1).cast_signed()
}
