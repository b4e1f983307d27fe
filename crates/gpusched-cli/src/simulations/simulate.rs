//! `gpusched simulate`: simulations of tasks, thread blocks and warps.

mod blocks;
mod growing;
mod kernels;
mod profile;
mod tasks;
mod warps;

#[cfg(feature = "schema")]
pub use {
    blocks::Answer, kernels::Answer as WarpRunAnswer, profile::Answer as ProfileAnswer,
    profile::StressAnswer, tasks::Summary, warps::Answer as WarpAnswer,
};

pub use profile::{
    BLOCK_COLUMN, COLUMNS as PROFILE_COLUMNS, ESTIMATE_COLUMN, GPU_COLUMNS, ORIGIN_COLUMNS, TRAFFIC_COLUMNS,
    UNCERTAINTY_COLUMN, VARIATION_COLUMNS,
};

use clap::Subcommand;

use super::{Global, Outcome};
use gpusched_model::error::Result;

/// Arguments of `gpusched simulate`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Simulate the thread blocks of kernels on the SMs of a GPU.
    Blocks(blocks::Args),
    /// Simulate a kernel in isolation on each of several numbers of SMs.
    Profile(profile::Args),
    /// Simulate the jobs of tasks on their partitions.
    Tasks(tasks::Args),
    /// Simulate the warps of kernels on a simulated GPU or a sub-core.
    Warps(warps::Args),
}

impl Args {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Fails in the same cases as the subcommand.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        match &self.command {
            Command::Blocks(args) => args.run(global),
            Command::Profile(args) => args.run(global),
            Command::Tasks(args) => args.run(global),
            Command::Warps(args) => args.run(global),
        }
    }
}
