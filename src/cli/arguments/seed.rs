//! `--seed`, which every command takes, where nothing is random.

use clap::ArgMatches;

use crate::cli::{Global, complain};

/// The commands that draw something.
const RANDOM: [&str; 11] = [
    "budget sequence",
    "budget simulate",
    "generate",
    "import examiner",
    "simulate blocks",
    "simulate tasks",
    "study run",
    "validate",
    "wcet cluster",
    "wcet profile",
    "wcet synth",
];

/// Says on standard error if a seed was given to a command that draws nothing. Scripts give one to all commands, so that it is
/// neither an error nor a warning.
pub fn note(matches: &ArgMatches, global: &Global) {
    let Some(seed) = global.seed else { return };
    let command = path(matches);
    if !global.quiet && !RANDOM.contains(&command.as_str()) {
        complain(&format!(
            "note: --seed: found {seed}, which has no effect: nothing is random in `gpusched {command}`"
        ));
    }
}

/// The names of the subcommands in `matches`.
fn path(matches: &ArgMatches) -> String {
    let first = matches.subcommand();
    let names = std::iter::successors(first, |(_, matches)| matches.subcommand()).map(|(name, _)| name);
    names.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn random_commands_are_known_by_their_names() {
        for name in RANDOM {
            let mut known = Cli::command();
            for word in name.split(' ') {
                known = known.find_subcommand(word).expect(name).clone();
            }
            assert!(!known.has_subcommands(), "{name}");
        }
        let matches = Cli::command().try_get_matches_from(["gpusched", "study", "list", "analysis"]);
        assert_eq!(path(&matches.unwrap()), "study list");
    }
}
