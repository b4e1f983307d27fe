//! The memory system of a simulated GPU: crossbar, caches and DRAM.

pub(super) mod cache;
pub(super) mod dram;
pub(super) mod gpcs;
pub(super) mod interconnect;
pub(super) mod memory;
