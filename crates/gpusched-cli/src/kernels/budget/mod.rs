//! `gpusched budget`: memory bandwidth budgets of best-effort cores.

mod chosen;
mod deadlines;
mod estimates;
mod export;
mod nominal;
mod regulation;
mod sequence;
mod simulate;

use crate::{Global, Outcome, Run};
use gpusched_model::error::Result;

/// Subcommands of `gpusched budget`.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Find the largest budget that keeps the slowdown of a kernel within a limit, or all deadlines of a system.
    Nominal(nominal::Args),
    /// Simulate a kernel and concurrent CPU cores whose memory budget changes.
    Simulate(simulate::Args),
    /// Simulate several kernels, each with one release or with periodic releases.
    Sequence(sequence::Args),
    /// Write a script that sets a budget on a real machine.
    Export(export::Args),
}

impl Run for Command {
    fn run(&self, global: &Global) -> Result<Outcome> {
        match self {
            Command::Nominal(args) => args.run(global),
            Command::Simulate(args) => args.run(global),
            Command::Sequence(args) => args.run(global),
            Command::Export(args) => args.run(global),
        }
    }
}
