//! The command `gpusched`: the toolkit, and the parts that other crates add.

fn main() -> std::process::ExitCode {
    gpusched::register_parts();
    let arguments: Vec<_> = std::env::args_os().collect();
    gpusched_cli::main(&arguments).into()
}
