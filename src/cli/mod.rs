//! The command line: one file per subcommand, no logic beyond arguments → library call → rendering.
//!
//! Exit codes: 0 success or schedulable, 1 unschedulable or a claim not met, 2 bad input or usage, 3 internal error.

mod global;
mod plot;

pub use global::{Format, Global};

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::error::Result;

/// Real-time schedulability analysis for GPUs.
#[derive(Debug, Parser)]
#[command(name = "gpusched", version, about, max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Draw a figure from the results of a study: a line per algorithm, a panel per reading, with confidence bands.
    Plot(plot::Args),
}

/// What a command that ran to its end found. Bad input is an error instead.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Success or schedulable: exit code 0.
    Positive,
    /// Unschedulable, or a claim not met: exit code 1.
    Negative,
}

/// Parses the arguments of this process, runs the command and says how to exit.
pub fn main() -> ExitCode {
    let Cli { global, command } = Cli::parse();
    match run(command, &global) {
        Ok(Outcome::Positive) => ExitCode::SUCCESS,
        Ok(Outcome::Negative) => ExitCode::from(1),
        Err(error) => {
            anstream::eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(command: Command, global: &Global) -> Result<Outcome> {
    match command {
        Command::Plot(args) => args.run(global),
    }
}
