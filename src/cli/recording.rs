//! `gpusched recording`: reads what profilers recorded on real GPUs.

mod summary;

use clap::Subcommand;

use super::{Global, Outcome};
use crate::error::Result;

/// Arguments of `gpusched recording`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Count launches, streams and ranges, with statistics of their times.
    Summary(summary::Args),
}

impl Args {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Errors of the subcommand.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        match &self.command {
            Command::Summary(args) => args.run(global),
        }
    }
}
