//! Subcommands of `gpusched simulate`: simulations of warps.

pub mod beside;
pub mod kernels;
pub mod matrix;
pub mod profile;
pub mod warps;

use gpusched_cli::part::Run;
use gpusched_cli::{Global, Outcome};
use gpusched_model::error::Result;

/// Subcommands of `gpusched simulate`.
#[derive(Debug, clap::Subcommand)]
pub enum Simulate {
    /// Simulate each of several kernels beside each other one, on the same SMs.
    Matrix(matrix::Args),
    /// Simulate a kernel in isolation on each of several numbers of SMs.
    Profile(profile::Args),
    /// Simulate the warps of kernels on a simulated GPU or a sub-core.
    Warps(warps::Args),
}

impl Run for Simulate {
    fn run(&self, global: &Global) -> Result<Outcome> {
        match self {
            Simulate::Matrix(args) => args.run(global),
            Simulate::Profile(args) => args.run(global),
            Simulate::Warps(args) => args.run(global),
        }
    }
}
