//! `gpusched import`: converts and summarizes the files of other tools.

mod accel_sim;
mod amalthea;
mod examiner;
mod gpgpusim_config;
mod ptx;

use clap::Subcommand;

use super::{Global, Outcome};
use gpusched_model::error::Result;

/// Arguments of `gpusched import`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Summarize machine-code traces of the Accel-Sim tracer.
    AccelSim(accel_sim::Args),
    /// Convert a task model of APP4MC to an end-to-end system.
    Amalthea(amalthea::Args),
    /// Convert logs of cuda_scheduling_examiner to a scenario, or compare with a simulation.
    Examiner(examiner::Args),
    /// Convert a GPGPU-Sim configuration to a simulated GPU.
    GpgpusimConfig(gpgpusim_config::Args),
    /// Convert a kernel in PTX to a program.
    Ptx(ptx::Args),
}

impl Args {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Fails in the same cases as the subcommand.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        match &self.command {
            Command::AccelSim(args) => args.run(global),
            Command::Amalthea(args) => args.run(global),
            Command::Examiner(args) => args.run(global),
            Command::GpgpusimConfig(args) => args.run(global),
            Command::Ptx(args) => args.run(global),
        }
    }
}
