//! Does nothing. Cargo takes the features of `[build-dependencies]` into account only for a crate with a build script.
//!
//! If the tests need a feature of a dependency that the command does not need, then `cargo test` compiles the dependency once more,
//! and with it all crates of the workspace. The two lists of features must be equal:
//!
//! ```sh
//! cargo tree -e normal,build -f '{p} {f}' --prefix none | sort -u
//! cargo tree -e normal,build,dev -f '{p} {f}' --prefix none --workspace | sort -u
//! ```

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}
