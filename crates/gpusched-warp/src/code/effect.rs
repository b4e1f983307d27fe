//! Effect of issuing an instruction.

use super::expression::Lanes;

/// Effect of issuing one instruction of a warp.
#[derive(Debug, Clone, Default)]
pub struct Effect {
    /// Lanes that execute the instruction, one bit per lane. Lanes whose predicate is false are excluded.
    pub lanes: u32,
    /// Address per lane of a memory instruction [bytes]. Addresses of lanes that do not execute the instruction are
    /// meaningless.
    pub addresses: [u64; 32],
    /// Difference between the addresses of neighboring lanes [bytes]; `None` if it is not known to be equal for all 32
    /// lanes.
    pub stride: Option<i64>,
    /// Whether the next instruction of the warp does not follow this instruction in memory.
    pub jumped: bool,
    /// Working memory for streams. The caller must ignore its content.
    pub room: Room,
}

/// Working memory of streams.
#[derive(Debug, Clone, Default)]
pub struct Room(pub(super) Vec<Lanes>);
