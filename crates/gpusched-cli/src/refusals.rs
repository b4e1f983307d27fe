//! Conversion of errors of the library to errors of the command. The new errors name options instead of parameters, and
//! contain hints.

pub mod overwriting;
pub mod usage;

use std::path::Path;

use clap::{ArgMatches, Command};

use crate::part::parts;
use gpusched_model::error::{Error, Refusal};

/// Pairs of a file ending and a hint, for files that are not JSON.
const FOREIGN: [(&str, &str); 1] = [(
    "amxmi",
    "convert a task model of APP4MC with `gpusched import amalthea`",
)];

/// Pairs of a kind of document and a hint, for a command that does not read this kind. The hint names the commands that
/// read this kind.
const TAKEN: [(&str, &str); 7] = [
    (
        "a kernel",
        "give a kernel to `gpusched wcet` or `gpusched budget`",
    ),
    ("benchmarks", "give benchmarks to `gpusched wcet profile`"),
    ("a bound", "give a bound to `gpusched wcet verify`"),
    ("a plan", "give a plan to `gpusched verify` or `gpusched export`"),
    ("a profile", "give a profile to `gpusched predict`"),
    ("a device", "give a device to `--gpu`"),
    (
        "a task set",
        "give a task set to `gpusched test` or `gpusched partition`",
    ),
];

/// Converts `error` of the subcommand in `matches`. The new error contains the names of options and a hint. `root` is
/// the whole command.
pub(super) fn explained(root: &Command, matches: &ArgMatches, error: Error) -> Error {
    let (mut command, mut matches) = (root, matches);
    while let Some((name, inner)) = matches.subcommand() {
        matches = inner;
        command = command.find_subcommand(name).unwrap_or(command);
    }
    error.map_refusal(|refusal| hinted(optional(&[command, root], refusal)))
}

/// Replaces the parameters in `refusal` by the names of the options of `commands` that set these parameters.
fn optional(commands: &[&Command], refusal: Refusal) -> Refusal {
    refusal.with_parameters_called(|parameter| {
        let name = parameter.replace('_', "-");
        let mut options = commands.iter().flat_map(|command| command.get_arguments());
        let set = options.any(|option| option.get_long() == Some(&name));
        set.then(|| format!("--{name}"))
    })
}

/// Adds a hint to `refusal`, unless the library already added a hint.
fn hinted(refusal: Refusal) -> Refusal {
    let ending = Path::new(refusal.file().unwrap_or_default()).extension();
    let mut all = FOREIGN.iter().chain(parts().flat_map(|part| part.foreign));
    let foreign = all.find(|(known, _)| {
        let is_whole = refusal.field().is_empty() && refusal.found().is_some();
        is_whole && ending.is_some_and(|ending| ending.eq_ignore_ascii_case(known))
    });
    let kind = refusal.likeness();
    let mut all = TAKEN.iter().chain(parts().flat_map(|part| part.taken));
    let taken = all.find(|(known, _)| kind == Some(*known));
    let mut all = parts().flat_map(|part| part.missing);
    let missing = all.find(|(field, _)| refusal.has_cause() && refusal.field().ends_with(field));
    match foreign.or(taken).or(missing) {
        Some((_, hint)) if refusal.advice().is_none() => refusal.hint(*hint),
        _ => refusal,
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, FromArgMatches as _};

    use super::*;
    use crate::Cli;

    fn said(arguments: &str, refusal: Refusal) -> String {
        let root = Cli::command();
        let matches = root.clone().get_matches_from(arguments.split(' '));
        assert!(Cli::from_arg_matches(&matches).is_ok());
        explained(&root, &matches, refusal.into()).to_string()
    }

    #[test]
    fn parameters_are_named_by_their_options() {
        let refusal = || Refusal::new("memory_bandwidth", 0, "1");
        let named = "--memory-bandwidth: found 0, expected 1";
        assert_eq!(said("gpusched partition x", refusal()), named);
        assert_eq!(
            said("gpusched gpus a100", refusal()),
            "memory_bandwidth: found 0, expected 1"
        );
        // A field of a file is not an option.
        let in_file = "a.json: at memory_bandwidth: found 0, expected 1";
        assert_eq!(
            said("gpusched partition x", refusal().at("a.json", None)),
            in_file
        );
        // Every command also has the global options.
        let threads = Refusal::new("threads", 0, "1");
        assert_eq!(
            said("gpusched verify x y", threads),
            "--threads: found 0, expected 1"
        );
    }

    #[test]
    fn hints_name_the_command_that_helps() {
        let message = said(
            "gpusched test a.amxmi",
            Refusal::new("", "x", "y").at("a.amxmi", 1),
        );
        assert!(
            message.ends_with("\n\nhint: convert a task model of APP4MC with `gpusched import amalthea`"),
            "{message}"
        );
        let message = said(
            "gpusched test a.amxmi",
            Refusal::new("sms", "x", "y").at("a.amxmi", 1),
        );
        assert!(!message.contains("hint"), "{message}");
    }
}
