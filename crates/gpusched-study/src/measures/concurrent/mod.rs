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

use super::{Files, Labels, Measure, Parameters, Row};

/// predicted / found − 1 of a model, and its absolute value.
fn errors(of: Labels, model: &str, predicted: f64, found: f64) -> [Row; 2] {
    let error = predicted / found - 1.0;
    let of = of.with("model", model);
    [
        of.decimal("error", error, "share"),
        of.decimal("absolute error", error.abs(), "share"),
    ]
}
