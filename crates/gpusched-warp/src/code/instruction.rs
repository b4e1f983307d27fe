//! One instruction of the timing model.

use super::{Operation, Register, RegisterSet};

/// One instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// Address of the instruction [bytes]; consecutive instructions are 8 bytes apart in programs and 16
    /// bytes apart in SASS traces.
    pub pc: u32,
    /// What the instruction does.
    pub operation: Operation,
    /// Written registers.
    pub writes: Box<[Register]>,
    /// Registers read through the operand collector, without repetition: sources, then address registers.
    pub reads: Box<[Register]>,
    /// Guard predicate. The instruction waits for the predicate but does not collect it.
    pub guard: Option<Register>,
    /// Registers that the instruction waits for: written registers, read registers and the guard.
    waits: RegisterSet,
    /// Written registers, as a set.
    written: RegisterSet,
    /// [`Operation::kind`] of the operation.
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

    /// Returns the registers without a pending write when the instruction issues.
    pub fn waits(&self) -> &RegisterSet {
        &self.waits
    }

    /// Returns the written registers.
    pub fn written(&self) -> &RegisterSet {
        &self.written
    }

    /// Returns [`Operation::kind`] of the operation.
    pub fn kind(&self) -> usize {
        usize::from(self.kind)
    }
}
