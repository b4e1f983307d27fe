//! Kernels to be simulated, and how their blocks come to SMs.

pub(super) mod dispatch;
pub(super) mod kernel;
mod program;
mod starts;
mod traced;
