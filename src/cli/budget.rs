//! `gpusched budget`: memory budgets for best-effort cores beside a kernel.

mod nominal;
mod regulation;
mod sequence;
mod simulate;

use clap::Subcommand;

use super::{Global, Outcome};
use crate::error::Result;

/// Memory budgets for best-effort cores beside a kernel.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Find the largest budget that slows a kernel down by no more than is accepted.
    Nominal(nominal::Args),
    /// Simulate budgets that change at run time.
    Simulate(simulate::Args),
    /// Simulate several kernels, back to back or released periodically.
    Sequence(sequence::Args),
}

impl Args {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Those of the subcommand.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        match &self.command {
            Command::Nominal(args) => args.run(global),
            Command::Simulate(args) => args.run(global),
            Command::Sequence(args) => args.run(global),
        }
    }
}
