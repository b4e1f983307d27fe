//! Machine instructions and their memory accesses.

pub(super) mod access;
pub(super) mod code;
pub(super) mod instruction;
pub(super) mod opcode;
