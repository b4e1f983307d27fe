//! `gpusched import`: what other tools wrote, as our files.

mod accel_sim;
mod examiner;
mod gpgpusim_config;
mod ptx;

use clap::Subcommand;

use super::{Global, Outcome};
use crate::error::Result;

/// Reads what other tools wrote.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Read traces of machine code made by Accel-Sim's tracer, and say what they hold.
    AccelSim(accel_sim::Args),
    /// Read logs of cuda_scheduling_examiner as a scenario.
    Examiner(examiner::Args),
    /// Read a configuration of GPGPU-Sim as a machine.
    GpgpusimConfig(gpgpusim_config::Args),
    /// Read a kernel of a PTX text as a program.
    Ptx(ptx::Args),
}

impl Args {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Those of the subcommand.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        match &self.command {
            Command::AccelSim(args) => args.run(global),
            Command::Examiner(args) => args.run(global),
            Command::GpgpusimConfig(args) => args.run(global),
            Command::Ptx(args) => args.run(global),
        }
    }
}
