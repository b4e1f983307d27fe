//! `gpusched study`: experiments as data.

mod check;
mod figure;
mod list;
mod progress;
mod reproduction;
mod run;

use super::{Global, Outcome};
use crate::error::Result;

/// Runs experiments, and checks published claims against their results.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLE: &str = "\
Example:
  gpusched study run analysis/smoke.toml -o results";

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Run studies, or continue where they were interrupted.
    Run(run::Args),
    /// Put the shards of a study together.
    Merge(run::MergeArgs),
    /// List the studies in a folder.
    List(list::Args),
    /// Say which published claims the results confirm.
    Check(check::Args),
    /// Write a page about the claims of finished studies.
    Reproduction(reproduction::Args),
}

impl Args {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Bad usage, a bad study, a folder that holds something else, files that cannot be written.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        match &self.command {
            Command::Run(args) => args.run(global),
            Command::Merge(args) => args.run(global),
            Command::List(args) => args.run(global),
            Command::Check(args) => args.run(global),
            Command::Reproduction(args) => args.run(global),
        }
    }
}
