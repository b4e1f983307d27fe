//! `gpusched recording`: reads the recordings that profilers made on real GPUs.

pub mod audit;
pub mod source;
mod summary;
mod tasks;

use clap::Subcommand;

use super::{Global, Outcome};
use gpusched_model::error::Result;

/// Arguments of `gpusched recording`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Count launches, streams and ranges, and report statistics of their times.
    Summary(summary::Args),
    /// Derive a task set from recordings.
    Tasks(tasks::Args),
    /// Compare a recorded run with its task set and its plan.
    Audit(audit::Args),
}

impl Args {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Fails in the same cases as the subcommand.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        match &self.command {
            Command::Summary(args) => args.run(global),
            Command::Tasks(args) => args.run(global),
            Command::Audit(args) => args.run(global),
        }
    }
}
