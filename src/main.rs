//! The command `gpusched`.

fn main() -> std::process::ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    gpusched_cli::main(&arguments).into()
}
