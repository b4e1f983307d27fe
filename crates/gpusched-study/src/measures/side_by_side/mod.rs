//! Kernels side by side on SMs of their own: what they do alone, warp by warp (`profiles`), how long `groups` of them take
//! together, warp by warp or in `blocks`, and how far off predictions are (`errors`).

mod bench;
mod blocks;
mod draw;
mod errors;
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
