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
const TAKEN: [(&str, &str); 11] = [
    (
        "budgets of a system",
        "give budgets of a system to `gpusched verify` with the system, or to `gpusched budget export`",
    ),
    (
        "a kernel",
        "give a kernel to `gpusched wcet` or `gpusched budget`",
    ),
    ("benchmarks", "give benchmarks to `gpusched wcet profile`"),
    ("a bound", "give a bound to `gpusched wcet verify`"),
    ("a plan", "give a plan to `gpusched verify` or `gpusched export`"),
    ("a profile", "give a profile to `gpusched predict`"),
    (
        "an end-to-end plan",
        "give an end-to-end plan to `gpusched verify`, with its system",
    ),
    (
        "an end-to-end system",
        "give an end-to-end system to `gpusched test` or `gpusched partition`",
    ),
    ("a device", "give a device to `--gpu`"),
    (
        "a task set",
        "give a task set to `gpusched test` or `gpusched partition`",
    ),
    (
        "a verdict of one partition",
        "write a plan of one partition with `gpusched partition SET --sms M --heuristic 1g --format json`",
    ),
];

/// First words of verdicts as text, in the form of a message about a file.
const VERDICTS: [&str; 3] = ["\"SCHEDULABLE", "\"NOT SCHEDULABLE", "\"NO PLAN"];

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
    // The file begins with a verdict in words, which `partition` writes to a file without the ending `.json`.
    let in_words = refusal.field().is_empty() && { refusal.found() }
        .is_some_and(|found| VERDICTS.iter().any(|verdict| found.starts_with(verdict)));
    let in_words = in_words.then_some(&("", "write the plan as JSON: `gpusched partition … -o plan.json`"));
    match foreign.or(taken).or(missing).or(in_words) {
        Some((_, hint)) if refusal.advice().is_none() => refusal.hint(*hint),
        _ => refusal,
    }
}
