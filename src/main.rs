//! The command `gpusched`: the toolkit, and the parts that other crates add.

fn main() -> std::process::ExitCode {
    gpusched::command(gpusched::study::own::Registry::default())
}
