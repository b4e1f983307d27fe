//! Kernels side by side on SMs of their own, simulated warp by warp: what they do alone (`profiles`), how long they take
//! together, and how far off predictions are (`groups`).

mod bench;
mod draw;
mod groups;
mod profiles;

pub use groups::SideBySideParameters;
pub use profiles::MemoryProfilesParameters;

use super::{Files, Measure, Parameters, Refusal, Row};

/// With six decimals.
fn decimal(value: f64) -> String {
    format!("{value:.6}")
}

/// predicted / found − 1, and its absolute value.
fn error(predicted: f64, found: f64) -> [(&'static str, String); 2] {
    let error = predicted / found - 1.0;
    [
        ("error", decimal(error)),
        ("absolute error", decimal(error.abs())),
    ]
}
