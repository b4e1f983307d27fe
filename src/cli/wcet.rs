//! `gpusched wcet`: bounds on the execution time of kernels.

use clap::Subcommand;

use super::{Global, Outcome};
use crate::error::Result;

/// Bounds the execution time of kernels.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {}

impl Args {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Those of the subcommand.
    pub fn run(&self, _global: &Global) -> Result<Outcome> {
        match self.command {}
    }
}
