//! The command `gpusched`; everything is in the library.

fn main() -> std::process::ExitCode {
    gpusched::cli::main()
}
