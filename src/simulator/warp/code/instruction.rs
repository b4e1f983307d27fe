//! One instruction as the timing model sees it.

use super::Operation;

/// A register by its number within the warp; 0 is no register (never waited for).
pub type Register = u16;

/// Registers an instruction may write.
pub const MAX_WRITES: usize = 8;
/// Registers an instruction may read, predicates and address registers among them.
pub const MAX_READS: usize = 12;

/// One instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// Address of the instruction in bytes; instructions stand 8 bytes apart in programs (16 in SASS traces).
    pub pc: u32,
    /// What it does.
    pub operation: Operation,
    /// Registers written, unused places 0.
    pub writes: [Register; MAX_WRITES],
    /// Registers read as operands, in the order of the operands, unused places 0.
    pub reads: [Register; MAX_READS],
    /// Of `reads`, the first `operands` are read through the operand collector (register banks);
    /// the others (guard predicates, address registers) are only waited for.
    pub operands: u8,
}
