//! The command `gpusched`. It is a program of its own, beside the facade library: what no subcommand uses is then not compiled at all.

mod cli;

use gpusched::{
    accelsim, artifact, bandwidth, error, examiner, export, generation, gpgpusim_config, interference,
    kernel_wcet, model, partitioning, plot, prediction, ptx, recording, schedulability, simulator, study,
    time, validation, verification, warp,
};

fn main() -> std::process::ExitCode {
    cli::main()
}
