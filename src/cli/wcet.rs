//! `gpusched wcet`: bounds on the execution time of kernels.

mod bound;
mod curve;
mod traffic;
mod verify;

pub use bound::{percent, title};
pub use traffic::{Traffic, slowdown};

use clap::Subcommand;

use super::{Global, Outcome};
use crate::error::{Error, Result};
use crate::kernel_wcet::EstimateError;

/// Bounds the execution time of kernels.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Bound the execution time of a kernel under a memory budget.
    Bound(bound::Args),
    /// Bound it for many budgets.
    Curve(curve::Args),
    /// Check bounds and their certificates with separate code.
    Verify(verify::Args),
}

impl Args {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Those of the subcommand.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        match &self.command {
            Command::Bound(args) => args.run(global),
            Command::Curve(args) => args.run(global),
            Command::Verify(args) => args.run(global),
        }
    }
}

/// A budget that is none is bad usage; solvers that fail or disagree are our fault.
pub fn explain(error: EstimateError) -> Error {
    match error {
        EstimateError::Budget(_) => Error::Usage(format!("--{error}")),
        EstimateError::Lp(_) | EstimateError::Disagreement { .. } => Error::Internal(error.to_string()),
    }
}
