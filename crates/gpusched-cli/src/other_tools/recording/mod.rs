//! `gpusched recording`: reads the recordings that profilers made on real GPUs.

pub mod audit;
mod recover;
pub mod source;
pub mod summary;
mod tasks;

use crate::{Global, Outcome, Run};
use gpusched_model::error::Result;

/// Subcommands of `gpusched recording`.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Count launches, streams and ranges, and report statistics of their times.
    Summary(summary::Args),
    /// Derive a task set from recordings.
    Tasks(tasks::Args),
    /// Compare a recorded run with its task set and its plan.
    Audit(audit::Args),
    /// Write the trace of a killed run.
    Recover(recover::Args),
}

impl Run for Command {
    fn run(&self, global: &Global) -> Result<Outcome> {
        match self {
            Command::Summary(args) => args.run(global),
            Command::Tasks(args) => args.run(global),
            Command::Audit(args) => args.run(global),
            Command::Recover(args) => args.run(global),
        }
    }
}
