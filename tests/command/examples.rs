//! Every command's help ends with an example that works in a checkout.
#![cfg(unix)]

use crate::support::checkout::Checkout;
use clap::CommandFactory as _;

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

#[test]
fn every_example_of_the_help_works() {
    let checkout = Checkout::new();
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
            let shown = checkout.sh(&example);
            assert_eq!(shown.code, 0, "{example}\n{}", shown.text);
        }
    }
}
