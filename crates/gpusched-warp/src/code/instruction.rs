//! One instruction as the timing model sees it.

use super::{Operation, Register, RegisterSet};

/// One instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// Address of the instruction in bytes; instructions stand 8 bytes apart in programs (16 in SASS traces).
    pub pc: u32,
    /// What it does.
    pub operation: Operation,
    /// Registers written.
    pub writes: Box<[Register]>,
    /// Registers read through the operand collector, without repetition: sources, then address registers.
    pub reads: Box<[Register]>,
    /// The guard predicate, which is waited for but not collected.
    pub guard: Option<Register>,
    /// The registers it waits for: those it writes, those it reads, and the guard.
    waits: RegisterSet,
    /// Those it writes.
    written: RegisterSet,
    /// [`Operation::kind`] of its operation.
    kind: u8,
}

impl Instruction {
    /// An instruction; the fields say what is what.
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

    /// The registers that no other instruction may be about to write when this one is issued.
    pub fn waits(&self) -> &RegisterSet {
        &self.waits
    }

    /// The registers it writes.
    pub fn written(&self) -> &RegisterSet {
        &self.written
    }

    /// The kind of its operation: [`Operation::kind`].
    pub fn kind(&self) -> usize {
        usize::from(self.kind)
    }
}
