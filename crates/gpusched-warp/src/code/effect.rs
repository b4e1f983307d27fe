//! What issuing an instruction did.

use super::expression::Lanes;

/// What issuing one instruction of a warp did.
#[derive(Debug, Clone, Default)]
pub struct Effect {
    /// Lanes that execute it, one bit per lane. Predicated-off lanes are not among them.
    pub lanes: u32,
    /// Address in bytes per lane, of memory instructions; meaningless in other lanes.
    pub addresses: [u64; 32],
    /// How many bytes the addresses of neighbouring lanes stand apart, where that is known to be the same for all 32.
    pub stride: Option<i64>,
    /// The next instruction of the warp is not the one that follows in memory.
    pub jumped: bool,
    /// Room to work in, for streams; it says nothing.
    pub room: Room,
}

/// Room to work in.
#[derive(Debug, Clone, Default)]
pub struct Room(pub(super) Vec<Lanes>);
