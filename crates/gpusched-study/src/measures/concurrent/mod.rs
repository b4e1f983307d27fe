//! Concurrent kernels, each on its own SMs. `profiles` simulates them in isolation, warp by warp. `groups` simulates several
//! kernels concurrently, warp by warp or in `blocks`. `errors` compares predictions with the simulations.

mod bench;
mod blocks;
mod draw;
mod errors;
mod groups;
mod profiles;

pub use groups::SideBySideParameters;
pub use profiles::MemoryProfilesParameters;

use super::{Files, Labels, Measure, Parameters, Row};

/// Returns the error of a model, predicted / found − 1, and its absolute value.
fn errors(of: Labels, model: &str, predicted: f64, found: f64) -> [Row; 2] {
    let error = predicted / found - 1.0;
    let of = of.with("model", model);
    [
        of.decimal("error", error, "share"),
        of.decimal("absolute error", error.abs(), "share"),
    ]
}
