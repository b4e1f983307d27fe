//! Metrics of concurrent kernels that run on different SMs. The metric in `profiles` simulates each kernel in isolation,
//! warp by warp. The metric in `errors` simulates several kernels concurrently, warp by warp or block by block, and
//! compares predictions with the simulations. The metric in `placement` simulates several kernels on given SMs. The metrics
//! in `clients` simulate a kernel beside memory clients.

mod bench;
mod blocks;
mod clients;
pub mod draw;
mod errors;
mod groups;
mod placement;
mod profiles;
mod simulation;
mod sweep;

pub use clients::{ClientCountsParameters, RegulatedClientsParameters};
pub use groups::SideBySideParameters;
pub use placement::PlacementParameters;
pub use profiles::MemoryProfilesParameters;

use super::{Files, Labels, Measure, Parameters, Row};

/// Returns the error of a model and the absolute value of the error. The error is `predicted` / `found` − 1.
fn errors(of: Labels, model: &str, predicted: f64, found: f64) -> [Row; 2] {
    let error = predicted / found - 1.0;
    let of = of.with("model", model);
    [
        of.decimal("error", error, "share"),
        of.decimal("absolute error", error.abs(), "share"),
    ]
}
