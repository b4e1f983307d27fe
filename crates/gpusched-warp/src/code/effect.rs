//! The effect of issuing an instruction.

use super::expression::Lanes;

/// The effect of issuing one instruction of a warp.
#[derive(Debug, Clone, Default)]
pub struct Effect {
    /// Lanes that execute the instruction, one bit per lane. Predicated-off lanes are excluded.
    pub lanes: u32,
    /// Address per lane of a memory instruction [bytes]; meaningless in all other lanes.
    pub addresses: [u64; 32],
    /// Distance between the addresses of neighboring lanes [bytes], if it is known to be equal for all 32 lanes.
    pub stride: Option<i64>,
    /// Whether the next instruction of the warp is not the next instruction in memory.
    pub jumped: bool,
    /// Working memory for streams, without meaning for the caller.
    pub room: Room,
}

/// Working memory of streams.
#[derive(Debug, Clone, Default)]
pub struct Room(pub(super) Vec<Lanes>);
