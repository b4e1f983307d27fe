//! `gpusched wcet`: bounds on the execution time of kernels.

mod fit;
mod points;

use clap::Subcommand;

use super::{Global, Outcome};
use crate::error::Result;

/// Bounds the execution time of kernels.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLE: &str = "\
Example:
  gpusched wcet fit tasksets/measurements/stencil.csv";

#[derive(Debug, Subcommand)]
enum Command {
    /// Fit a WCET function of the number of SMs to measurements.
    Fit(fit::Args),
}

impl Args {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Those of the subcommand.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        match &self.command {
            Command::Fit(args) => args.run(global),
        }
    }
}
