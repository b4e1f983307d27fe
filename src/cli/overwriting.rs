//! No command writes over a file that it was told to read.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Command};

use crate::error::{Error, Result};

/// The arguments that name a file to be written, whatever the command; what `validate` goes on from is both, and not here.
const WRITTEN: [&str; 9] = [
    "output",
    "export_to",
    "gantt",
    "issues",
    "pessimism",
    "reproducer",
    "svg",
    "trace",
    "utilization",
];

/// Those that may name a file to be read, though they are no paths.
const NAMES: [&str; 2] = ["device", "machine"];

/// What one argument names.
struct Named {
    /// As people know it: `--output`, or `PLAN`.
    argument: String,
    path: PathBuf,
}

/// # Errors
/// [`Error::Usage`] for an output that is the same file as an input, both by argument.
pub(super) fn check(command: &Command, matches: &ArgMatches) -> Result<()> {
    let simulates = matches.subcommand_name() == Some("simulate"); // not `budget simulate`
    let (mut command, mut matches) = (command, matches);
    while let Some((name, inner)) = matches.subcommand() {
        matches = inner;
        command = command.find_subcommand(name).unwrap_or(command);
    }
    // Elsewhere a trace is read.
    let written = |id: &str| WRITTEN.contains(&id) && (simulates || id != "trace");
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for id in matches.ids() {
        let id = id.as_str();
        for path in paths(matches, id) {
            let argument = shown(command, id);
            let named = Named { argument, path };
            match written(id) {
                true => outputs.push(named),
                false => inputs.push(named),
            }
        }
    }
    for output in &outputs {
        let same = |input: &&Named| match input.path.as_os_str() == "-" {
            true => is_standard_input(&output.path),
            false => same_file(&input.path, &output.path),
        };
        if let Some(input) = inputs.iter().find(same) {
            return Err(Error::Usage(format!(
                "{}, {}: found the same file, expected two: {}",
                output.argument,
                input.argument,
                output.path.display(),
            )));
        }
    }
    Ok(())
}

/// The name of an argument of `command`; that of a global option is its own.
fn shown(command: &Command, id: &str) -> String {
    let argument = command.get_arguments().find(|argument| argument.get_id() == id);
    let value = argument.filter(|argument| argument.is_positional());
    match value.and_then(|argument| argument.get_value_names()?.first()) {
        Some(name) => name.to_string(),
        None => format!("--{}", id.replace('_', "-")),
    }
}

fn paths(matches: &ArgMatches, id: &str) -> Vec<PathBuf> {
    if NAMES.contains(&id) {
        let values = matches.get_raw(id).into_iter().flatten();
        return values.map(PathBuf::from).collect();
    }
    match matches.try_get_many::<PathBuf>(id) {
        Ok(Some(paths)) => paths.cloned().collect(),
        _ => Vec::new(), // no path
    }
}

/// Whether both are one regular file, under whatever name.
fn same_file(a: &Path, b: &Path) -> bool {
    match (fs::canonicalize(a), fs::canonicalize(b)) {
        (Ok(a), Ok(b)) => a == b && a.is_file(),
        _ => false,
    }
}

/// Whether standard input comes from the regular file at `path`, as in `… - -o FILE < FILE`.
#[cfg(unix)]
fn is_standard_input(path: &Path) -> bool {
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::MetadataExt as _;
    let stdin = std::io::stdin().as_fd().try_clone_to_owned().map(fs::File::from);
    match (stdin.and_then(|stdin| stdin.metadata()), fs::metadata(path)) {
        (Ok(a), Ok(b)) => a.is_file() && (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

/// Elsewhere that cannot be told.
#[cfg(not(unix))]
fn is_standard_input(_path: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory as _};

    use super::WRITTEN;
    use crate::cli::Cli;

    /// Looks at every option whose help says that it writes a file.
    fn look_at(command: &Command, found: &mut Vec<String>) {
        for option in command.get_arguments() {
            let help = option.get_help().map(ToString::to_string).unwrap_or_default();
            let names_file = option.get_value_names().is_some_and(|names| {
                let name = names.first().map(ToString::to_string).unwrap_or_default();
                name.starts_with("PATH") || name.starts_with("FILE")
            });
            let writes = ["Also write", "Also draw", "Where ", "--export: to"];
            if names_file && writes.iter().any(|start| help.starts_with(start)) {
                found.push(option.get_id().to_string());
            }
        }
        command.get_subcommands().for_each(|inner| look_at(inner, found));
    }

    #[test]
    fn every_file_that_is_written_is_known() {
        let mut found = Vec::new();
        look_at(&Cli::command(), &mut found);
        found.sort();
        found.dedup();
        assert_eq!(found, {
            let mut written = WRITTEN.to_vec();
            written.sort_unstable();
            written
        });
    }
}
