//! Baselines with which the heuristics are compared.

mod equal_split;
mod one_gpu;
mod one_per_partition;
mod packing;

pub(crate) use equal_split::{Fit, equal_split};
pub(crate) use one_gpu::one_gpu;
pub(crate) use one_per_partition::one_per_partition;
pub(crate) use packing::pack;
