//! `gpusched measure`: measures kernels, and the overheads of dispatchers, on a GPU or a simulated GPU.
//!
//! * `source`: the options that select the kernels and where they run;
//! * `conditions`: the GPU and its state, as results state them;
//! * `series`: a series of jobs, as results state it;
//! * `kernel`: the times of a kernel;
//! * `interference`: how kernels on other SMs delay a kernel;
//! * `overhead`: bounds on the overheads of dispatchers;
//! * `hardware`: files about a GPU;
//! * `observations`: what kernels observed on a GPU.

mod conditions;
mod hardware;
mod interference;
mod kernel;
mod observations;
mod overhead;
mod series;
mod source;

#[cfg(feature = "schema")]
pub use {interference::Answer as Interference, kernel::Answer as Measurement, observations::Observations};

use crate::{Global, Outcome, Run};
use gpusched_model::error::Result;

const EXAMPLE: &str = "\
Example:
  gpusched measure kernel tasksets/kernels/programs/copyl.json --backend simulated --machine rtx2060 --sms 6,12,30 --samples 4";

/// Subcommands of `gpusched measure`.
#[derive(Debug, clap::Subcommand)]
#[command(after_help = EXAMPLE)]
pub enum Command {
    /// Measure the times of a kernel on several numbers of SMs.
    Kernel(kernel::Args),
    /// Measure how kernels on other SMs delay a kernel.
    Interference(interference::Args),
    /// Measure the overheads of dispatchers, and bound them with a margin.
    Overhead(overhead::Args),
    /// Measure the partitions, TPCs and GPCs of a GPU, and write a device file.
    Device(hardware::DeviceArgs),
    /// Measure the limits and the order of the SMs of a GPU, and write a platform file.
    Platform(hardware::PlatformArgs),
}

impl Run for Command {
    fn run(&self, global: &Global) -> Result<Outcome> {
        match self {
            Command::Kernel(args) => args.run(global),
            Command::Interference(args) => args.run(global),
            Command::Overhead(args) => args.run(global),
            Command::Device(args) => args.run(global),
            Command::Platform(args) => args.run(global),
        }
    }
}
