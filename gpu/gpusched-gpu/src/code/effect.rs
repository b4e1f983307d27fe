//! Effect of issuing an instruction.

use super::expression;

/// Effect of issuing one instruction of a warp.
#[derive(Debug, Clone, Default)]
pub struct Effect {
    /// Lanes that execute the instruction, one bit per lane. A lane whose predicate is false does
    /// not execute the instruction.
    pub lanes: u32,
    /// Address that each lane accesses in memory [bytes]. The address of a lane that does not
    /// execute the instruction is meaningless.
    pub addresses: [u64; 32],
    /// Difference between the addresses of neighboring lanes [bytes]. `None` if the difference
    /// may vary between lanes.
    pub stride: Option<i64>,
    /// Whether the warp jumps, i.e., its next instruction does not follow this instruction in
    /// memory.
    pub jumped: bool,
    /// Working memory that streams reuse. The caller must ignore the content.
    pub room: Room,
}

/// Working memory of streams.
#[derive(Debug, Clone, Default)]
pub struct Room(pub(super) expression::Room);
