//! Subcommands of `gpusched import`: files of GPGPU-Sim and Accel-Sim, and PTX.

mod accel_sim;
mod gpgpusim_config;
mod ptx;

use gpusched_cli::part::Run;
use gpusched_cli::{Global, Outcome};
use gpusched_model::error::Result;

/// Subcommands of `gpusched import`.
#[derive(Debug, clap::Subcommand)]
pub enum Import {
    /// Summarize machine-code traces of the Accel-Sim tracer.
    AccelSim(accel_sim::Args),
    /// Convert a GPGPU-Sim configuration to a simulated GPU.
    GpgpusimConfig(gpgpusim_config::Args),
    /// Convert a kernel in PTX to a program.
    Ptx(ptx::Args),
}

impl Run for Import {
    fn run(&self, global: &Global) -> Result<Outcome> {
        match self {
            Import::AccelSim(args) => args.run(global),
            Import::GpgpusimConfig(args) => args.run(global),
            Import::Ptx(args) => args.run(global),
        }
    }
}
