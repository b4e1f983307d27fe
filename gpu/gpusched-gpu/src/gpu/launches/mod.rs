//! Kernels to simulate, and the dispatch of their blocks to SMs.

pub(super) mod dispatch;
pub(super) mod kernel;
mod program;
mod starts;
mod traced;
