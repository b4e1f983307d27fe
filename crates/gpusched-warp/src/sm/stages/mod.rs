//! The stages of an SM: issue, operands, execution, memory, and the registers between them.

mod coalescing;
pub(super) mod collector;
pub(super) mod issue;
pub(super) mod load_store;
pub(super) mod pipeline_registers;
pub(super) mod units;
