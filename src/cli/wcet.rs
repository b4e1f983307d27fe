//! `gpusched wcet`: bounds on the execution time of kernels.

mod cluster;
mod synth;

use clap::Subcommand;

use super::{Global, Outcome};
use crate::error::Result;

/// Bounds the execution time of kernels.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Turn measured times of thread blocks into the profile of a kernel.
    Cluster(cluster::Args),
    /// Draw measured times of thread blocks from the profile of a kernel.
    Synth(synth::Args),
}

impl Args {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Those of the subcommand.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        match &self.command {
            Command::Cluster(args) => args.run(global),
            Command::Synth(args) => args.run(global),
        }
    }
}
