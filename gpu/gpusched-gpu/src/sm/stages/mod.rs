//! Stages of an SM (issue, operands, execution and memory), and the pipeline registers between
//! the stages.

mod coalescing;
pub(super) mod collector;
pub(super) mod issue;
pub(super) mod load_store;
pub(super) mod pipeline_registers;
pub(super) mod units;
