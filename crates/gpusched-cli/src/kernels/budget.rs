//! `gpusched budget`: memory bandwidth budgets of best-effort cores.

mod nominal;
mod regulation;
mod sequence;
mod simulate;

use clap::Subcommand;

use super::{Global, Outcome};
use gpusched_model::error::Result;

/// Arguments of `gpusched budget`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Find the largest budget that keeps the slowdown of a kernel within a limit.
    Nominal(nominal::Args),
    /// Simulate a kernel and concurrent CPU cores whose memory budget changes.
    Simulate(simulate::Args),
    /// Simulate several kernels, each with one release or with periodic releases.
    Sequence(sequence::Args),
}

impl Args {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Fails in the same cases as the subcommand.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        match &self.command {
            Command::Nominal(args) => args.run(global),
            Command::Simulate(args) => args.run(global),
            Command::Sequence(args) => args.run(global),
        }
    }
}
