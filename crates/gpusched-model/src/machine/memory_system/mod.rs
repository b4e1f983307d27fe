//! The memory system behind the SMs: crossbar, caches and DRAM.

pub(super) mod cache;
pub(super) mod dram;
pub(super) mod interconnect;
pub(super) mod memory;
