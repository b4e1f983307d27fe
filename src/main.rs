//! The command `gpusched`.

fn main() -> std::process::ExitCode {
    gpusched_cli::main()
}
