//! Functions of expressions.

/// A function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Function {
    /// `min(x, y)`.
    Min,
    /// `max(x, y)`.
    Max,
    /// `abs(x)`.
    Abs,
    /// `s8(x)`, `s16(x)`, `s32(x)`: the lowest bits as a signed number.
    Signed(u8),
    /// `u8(x)`, `u16(x)`, `u32(x)`: the lowest bits as an unsigned number.
    Unsigned(u8),
    /// `hash(x, …)`: a number from 0 to 2⁶³ − 1 that looks random, always the same for the same arguments.
    Hash,
    /// `random(n, x, …)`: `hash(x, …)` modulo n, 0 if n is not positive.
    Random,
}

impl Function {
    /// All, with their names.
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

    /// Its name.
    pub fn name(self) -> &'static str {
        let entry = Function::ALL.iter().find(|(_, function)| *function == self);
        entry.map_or("", |(name, _)| name)
    }

    /// How many arguments it takes, at least and at most.
    pub fn arity(self) -> (usize, usize) {
        match self {
            Function::Min | Function::Max => (2, 2),
            Function::Abs | Function::Signed(_) | Function::Unsigned(_) => (1, 1),
            Function::Hash => (1, 8),
            Function::Random => (2, 8),
        }
    }

    /// Its value; arguments that are missing count as 0.
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

/// The lowest `bits` of `x`, 1 to 63, as a signed number.
pub fn signed(x: i64, bits: u8) -> i64 {
    let unused = 64 - u32::from(bits.clamp(1, 63));
    x << unused >> unused
}

/// The lowest `bits` of `x`, 1 to 63, as an unsigned number.
pub fn unsigned(x: i64, bits: u8) -> i64 {
    x & ((1 << bits.clamp(1, 63)) - 1)
}

/// Arguments into one number by the finalizer of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014), one after the other.
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
