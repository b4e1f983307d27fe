//! Behind the SMs: crossbar, caches, DRAM.

pub(super) mod cache;
pub(super) mod dram;
pub(super) mod interconnect;
pub(super) mod memory;
