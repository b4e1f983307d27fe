//! Kernels: their programs, measurements and published values.

pub mod benchmark;
pub mod kernel;
pub mod memory_profile;
