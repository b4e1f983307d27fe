//! No command writes over a file that it was told to read.

use std::fs;
use std::path::{Path, PathBuf};

use clap::ArgMatches;

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
struct Named<'a> {
    argument: &'a str,
    path: PathBuf,
}

/// # Errors
/// [`Error::Usage`] for an output that is the same file as an input, both by argument.
pub(super) fn check(matches: &ArgMatches) -> Result<()> {
    let simulates = matches.subcommand_name() == Some("simulate"); // not `budget simulate`
    let mut matches = matches;
    while let Some((_, inner)) = matches.subcommand() {
        matches = inner;
    }
    // Elsewhere a trace is read.
    let written = |id: &str| WRITTEN.contains(&id) && (simulates || id != "trace");
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for id in matches.ids() {
        let argument = id.as_str();
        for path in paths(matches, argument) {
            let named = Named { argument, path };
            match written(argument) {
                true => outputs.push(named),
                false => inputs.push(named),
            }
        }
    }
    for output in &outputs {
        if let Some(input) = inputs.iter().find(|input| same_file(&input.path, &output.path)) {
            return Err(Error::Usage(format!(
                "--{}: found {}, which {} names as an input, expected another file",
                output.argument.replace('_', "-"),
                output.path.display(),
                input.argument.replace('_', "-"),
            )));
        }
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory as _};

    use super::super::Cli;
    use super::WRITTEN;

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
