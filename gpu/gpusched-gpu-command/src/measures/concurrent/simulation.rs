//! Simulation of a run whose kernels contain their programs.

use std::path::Path;

use gpusched_gpu::gpu::Results;
use gpusched_gpu::scenario::{Options, Setup};
use gpusched_gpu::warp_run::{WarpRun, WarpRunShape};
use gpusched_model::error::Result;

/// Maximum length of a simulation [core cycles]. gpusched aborts longer simulations.
pub(super) const LIMIT: u64 = 100_000_000;

/// Prepares the simulation of `shape`.
pub(super) fn prepared(shape: WarpRunShape) -> Result<Setup> {
    Setup::new(&WarpRun::new(shape)?, Path::new("kernels"))
}

/// Simulates `setup`.
pub(super) fn simulated(setup: &Setup) -> Result<Results> {
    let options = Options {
        limit: LIMIT,
        ..Options::default()
    };
    Ok(setup.run(options, &mut |_| ())?.0)
}

/// Returns the response time of the kernel at `position` of `setup` in `results` [core cycles].
pub(super) fn response(setup: &Setup, results: &Results, position: usize) -> u64 {
    let launched = setup
        .kernels()
        .get(position)
        .map_or(0, |kernel| kernel.launched());
    let finish = results.kernels.get(position).map_or(0, |kernel| kernel.finish);
    finish.saturating_sub(launched)
}
