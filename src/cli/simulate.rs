//! `gpusched simulate`: what a run looks like.

mod tasks;

pub use tasks::Summary;

use clap::Subcommand;

use super::{Global, Outcome};
use crate::error::Result;

/// Simulates what analyses bound.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Simulate the jobs of tasks on their partitions.
    Tasks(tasks::Args),
}

impl Args {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Those of the subcommand.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        match &self.command {
            Command::Tasks(args) => args.run(global),
        }
    }
}
