//! Simulators: what a run looks like, beside the analyses that say what no run exceeds.

pub mod blocks;
pub mod engine;
pub mod regulation;
pub mod shared;
pub mod shared_runs;
pub mod tasks;
pub mod timeline;
pub mod validation;
pub mod warp_charts;
