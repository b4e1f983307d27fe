//! Instruction of the timing model.

use super::{Operation, Register, RegisterSet};

/// Instruction of the timing model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// Address of the instruction [bytes]. Consecutive instructions are 8 bytes apart in programs
    /// and 16 bytes apart in SASS traces.
    pub pc: u32,
    /// Kind of operation of the instruction.
    pub operation: Operation,
    /// Registers that the instruction writes.
    pub writes: Box<[Register]>,
    /// Registers that the operand collector reads, without repetition. Source registers precede
    /// address registers.
    pub reads: Box<[Register]>,
    /// Register of the guard predicate. The instruction waits for this register, but the operand
    /// collector does not read it.
    pub guard: Option<Register>,
    /// Registers that the instruction waits for: written registers, read registers and the guard.
    waits: RegisterSet,
    /// Set of registers that the instruction writes.
    written: RegisterSet,
    /// Number of the kind of operation; see [`Operation::kind`].
    kind: u8,
}

impl Instruction {
    /// Creates an instruction from its fields.
    pub fn new(
        pc: u32,
        operation: Operation,
        writes: Box<[Register]>,
        reads: Box<[Register]>,
        guard: Option<Register>,
    ) -> Instruction {
        let waits = writes.iter().chain(&reads).chain(&guard).copied().collect();
        let written = writes.iter().copied().collect();
        Instruction {
            pc,
            operation,
            kind: operation.kind() as u8,
            writes,
            reads,
            guard,
            waits,
            written,
        }
    }

    /// Returns the registers whose pending writes must complete before the instruction issues.
    pub fn waits(&self) -> &RegisterSet {
        &self.waits
    }

    /// Returns the set of registers that the instruction writes.
    pub fn written(&self) -> &RegisterSet {
        &self.written
    }

    /// Returns the number of the kind of operation; see [`Operation::kind`].
    pub fn kind(&self) -> usize {
        usize::from(self.kind)
    }
}
