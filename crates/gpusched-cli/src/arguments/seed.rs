//! A note for users who give `--seed` to a command without random numbers. Every command accepts
//! `--seed`.

use clap::ArgMatches;

use crate::{Global, complain};

/// Commands that use random numbers.
const RANDOM: [&str; 16] = [
    "budget sequence",
    "budget simulate",
    "generate",
    "import examiner",
    "run",
    "simulate blocks",
    "simulate matrix",
    "simulate profile",
    "simulate tasks",
    "study run",
    "study sets",
    "study submit",
    "validate",
    "wcet cluster",
    "wcet profile",
    "wcet synth",
];

/// Writes a note on standard error if the user gives a seed to a command without random numbers.
/// A seed is not an error, because scripts may pass a seed to every command.
pub fn note(matches: &ArgMatches, global: &Global) {
    let Some(seed) = global.seed else { return };
    let command = path(matches);
    if !global.quiet && !RANDOM.contains(&command.as_str()) {
        complain(&format!(
            "note: `--seed {seed}` has no effect, because `gpusched {command}` uses no random numbers"
        ));
    }
}

/// Returns the names of the subcommands in `matches`, joined by spaces.
fn path(matches: &ArgMatches) -> String {
    let first = matches.subcommand();
    let names = std::iter::successors(first, |(_, matches)| matches.subcommand()).map(|(name, _)| name);
    names.collect::<Vec<_>>().join(" ")
}
