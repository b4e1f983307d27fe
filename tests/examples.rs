//! Every command's help ends with an example that works in a checkout.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers, too"
)]

mod support;

use std::path::Path;
use std::process::Command;

use clap::CommandFactory as _;
use support::root;

/// The subcommands without subcommands of their own, with their full names.
fn leaves(command: &clap::Command, name: &str, found: &mut Vec<(String, clap::Command)>) {
    let subcommands: Vec<_> = command
        .get_subcommands()
        .filter(|c| c.get_name() != "help")
        .collect();
    if subcommands.is_empty() {
        found.push((name.to_owned(), command.clone()));
    }
    for subcommand in subcommands {
        leaves(subcommand, &format!("{name} {}", subcommand.get_name()), found);
    }
}

/// The indented lines after `Example:` or `Examples:`.
fn examples(help: &str) -> Vec<String> {
    let lines = help
        .lines()
        .skip_while(|line| !line.starts_with("Example"))
        .skip(1);
    lines
        .take_while(|line| line.starts_with("  "))
        .map(|line| line.trim().to_owned())
        .collect()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn every_example_of_the_help_works() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["tasksets", "analysis"] {
        if root().join(name).is_dir() {
            copy(&root().join(name), &folder.path().join(name));
        }
    }
    let program = Path::new(env!("CARGO_BIN_EXE_gpusched"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(
        [program.parent().unwrap().to_owned()]
            .into_iter()
            .chain(std::env::split_paths(&path)),
    )
    .unwrap();

    let mut commands = Vec::new();
    leaves(&gpusched::cli::Cli::command(), "gpusched", &mut commands);
    assert!(commands.len() >= 5);
    commands.push(("gpusched".to_owned(), gpusched::cli::Cli::command()));
    for (name, mut command) in commands {
        let help = command.render_long_help().to_string();
        let examples = examples(&help);
        assert!(!examples.is_empty(), "{name} --help has no example:\n{help}");
        for example in examples {
            assert!(example.contains(&name), "{name}: {example}");
            let output = Command::new("sh")
                .args(["-c", &example])
                .current_dir(&folder)
                .env("PATH", &path)
                .output()
                .unwrap();
            assert!(
                output.status.success(),
                "{example}\n{}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
}
