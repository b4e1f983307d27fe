//! `gpusched import`: what other tools wrote, as our files.

mod examiner;
mod ptx;

use clap::Subcommand;

use super::{Global, Outcome};
use crate::error::Result;

/// Reads what other tools wrote.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Read logs of cuda_scheduling_examiner as a scenario.
    Examiner(examiner::Args),
    /// Read a kernel of a PTX text as a program.
    Ptx(ptx::Args),
}

impl Args {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Those of the subcommand.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        match &self.command {
            Command::Examiner(args) => args.run(global),
            Command::Ptx(args) => args.run(global),
        }
    }
}
