//! The command `gpusched`. It is a separate binary crate, so that items that no subcommand uses are not compiled.

mod cli;

use gpusched::{
    accelsim, artifact, bandwidth, error, examiner, export, generation, gpgpusim_config, interference,
    kernel_wcet, model, partitioning, plot, prediction, ptx, recording, schedulability, simulator, study,
    time, validation, verification, warp,
};

fn main() -> std::process::ExitCode {
    cli::main()
}
