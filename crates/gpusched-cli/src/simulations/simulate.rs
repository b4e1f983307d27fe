//! `gpusched simulate`: simulations of tasks, thread blocks and warps.

mod blocks;
mod tasks;

#[cfg(feature = "schema")]
pub use {blocks::Answer, tasks::Summary};

use clap::Subcommand;

use super::{Global, Outcome};
use crate::part::{Extended, Family, Run};
use gpusched_model::error::Result;

/// Arguments of `gpusched simulate`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Extended<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Simulate the thread blocks of kernels on the SMs of a GPU.
    Blocks(Box<blocks::Args>),
    /// Simulate the jobs of tasks on their partitions.
    Tasks(Box<tasks::Args>),
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
    const NAME: &'static str = "simulate";
}

impl Run for Command {
    fn run(&self, global: &Global) -> Result<Outcome> {
        match self {
            Command::Blocks(args) => args.run(global),
            Command::Tasks(args) => args.run(global),
        }
    }
}
