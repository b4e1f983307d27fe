//! `gpusched wcet`: bounds on the execution time of kernels.

mod bound;
mod cluster;
mod curve;
mod files;
mod fit;
mod origin;
mod points;
mod profile;
mod synth;
mod traffic;
mod verify;

pub use bound::{distrust, percent, title};
pub use files::distinct;
pub use synth::one_kernel;
pub use traffic::{Traffic, budget, described, slowdown};

use crate::{Global, Outcome, Run};
use gpusched_model::error::Result;

const EXAMPLE: &str = "\
Example:
  gpusched wcet fit tasksets/measurements/stencil.csv";

/// Subcommands of `gpusched wcet`.
#[derive(Debug, clap::Subcommand)]
#[command(after_help = EXAMPLE)]
pub enum Command {
    /// Compute the profile of a kernel from measured times of its thread blocks.
    Cluster(cluster::Args),
    /// Generate a trace of block times from the profile of a kernel.
    Synth(synth::Args),
    /// Generate a synthetic kernel with the published values of a benchmark.
    Profile(profile::Args),
    /// Bound the execution time of a kernel under a memory bandwidth budget.
    Bound(bound::Args),
    /// Bound the execution time of a kernel for many budgets.
    Curve(curve::Args),
    /// Check bounds and their certificates with separate code.
    Verify(verify::Args),
    /// Fit a WCET function C(m) to measurements; m is the number of SMs.
    Fit(fit::Args),
}

impl Run for Command {
    fn run(&self, global: &Global) -> Result<Outcome> {
        match self {
            Command::Cluster(args) => args.run(global),
            Command::Synth(args) => args.run(global),
            Command::Profile(args) => args.run(global),
            Command::Bound(args) => args.run(global),
            Command::Curve(args) => args.run(global),
            Command::Fit(args) => args.run(global),
            Command::Verify(args) => args.run(global),
        }
    }
}
