//! `gpusched measure`: measures kernels, and the overheads of dispatchers, on a GPU or a simulated GPU.
//!
//! * `source`: the options that select the kernels and where they run;
//! * `conditions`: the GPU and its state, as results state them;
//! * `kernel`: the times of a kernel;
//! * `overhead`: bounds on the overheads of dispatchers.

mod conditions;
mod kernel;
mod overhead;
mod source;

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
    /// Measure the overheads of dispatchers, and bound them with a margin.
    Overhead(overhead::Args),
}

impl Run for Command {
    fn run(&self, global: &Global) -> Result<Outcome> {
        match self {
            Command::Kernel(args) => args.run(global),
            Command::Overhead(args) => args.run(global),
        }
    }
}
