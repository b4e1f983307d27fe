//! `gpusched simulate`: simulations of tasks, thread blocks and warps.

mod blocks;
mod tasks;

#[cfg(feature = "schema")]
pub use {blocks::Answer, tasks::Summary};

use crate::part::{Family, Run};
use crate::{Global, Outcome};
use gpusched_model::error::Result;

/// Subcommands of `gpusched simulate`.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Simulate the thread blocks of kernels on the SMs of a GPU.
    Blocks(Box<blocks::Args>),
    /// Simulate the jobs of tasks on their partitions.
    Tasks(Box<tasks::Args>),
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
