//! Simulators: what a run looks like, beside the analyses that say what no run exceeds.

pub mod regulation;
pub mod tasks;
