//! `gpusched import`: converts and summarizes the files of other tools.

mod amalthea;
mod examiner;

use clap::Subcommand;

use super::{Global, Outcome};
use crate::part::{Extended, Family, Run};
use gpusched_model::error::Result;

/// Arguments of `gpusched import`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Extended<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Convert a task model of APP4MC to an end-to-end system.
    Amalthea(amalthea::Args),
    /// Convert logs of cuda_scheduling_examiner to a scenario, or compare with a simulation.
    Examiner(examiner::Args),
}

impl Args {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Fails in the same cases as the subcommand.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        self.command.run(global)
    }
}

impl Family for Command {
    const NAME: &'static str = "import";
}

impl Run for Command {
    fn run(&self, global: &Global) -> Result<Outcome> {
        match self {
            Command::Amalthea(args) => args.run(global),
            Command::Examiner(args) => args.run(global),
        }
    }
}
