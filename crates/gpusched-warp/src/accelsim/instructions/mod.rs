//! What instructions of machine code are and access.

pub(super) mod access;
pub(super) mod code;
pub(super) mod instruction;
pub(super) mod opcode;
