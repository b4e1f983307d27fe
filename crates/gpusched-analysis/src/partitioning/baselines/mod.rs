//! Baselines with which the heuristics are compared.

mod equal_split;
mod packing;

pub(crate) use equal_split::{Fit, equal_split};
pub(crate) use packing::pack;
