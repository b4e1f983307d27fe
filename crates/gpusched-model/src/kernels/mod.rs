//! Kernels: what they do, and what is known of them.

pub mod benchmark;
pub mod kernel;
pub mod memory_profile;
pub mod program;
