//! The command `gpusched`. The command is a separate crate, so that the compiler can omit items
//! that no subcommand uses.

mod cli;

use gpusched::{
    accelsim, artifact, bandwidth, end_to_end, error, examiner, export, generation, gpgpusim_config,
    interference, kernel_wcet, model, partitioning, plot, prediction, ptx, recording, schedulability,
    simulator, study, time, validation, verification, warp,
};

fn main() -> std::process::ExitCode {
    cli::main()
}
