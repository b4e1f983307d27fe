//! Checks of the files on the command line, before any work starts. A command must not overwrite an input file, or
//! write two outputs to one file. A command must not give a file the ending of another format, or read standard input
//! twice.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Command};

use crate::report::OutputPath;
use gpusched_model::error::{Error, Result};

/// Arguments whose value may be a name or the path of an input file. clap does not parse these values as paths.
const NAMES: [&str; 2] = ["gpu", "machine"];

/// A path and the argument that names it.
struct Named<P> {
    /// Displayed name of the argument, such as `--output` or `PLAN`.
    argument: String,
    path: P,
}

/// # Errors
/// Fails with [`Error::Refused`] if an output file is also an input file or another output file. Also fails with
/// [`Error::Refused`] for an output file with an unsuitable name ([`OutputPath::check`]), and for two inputs from
/// standard input, because the second read would never end.
pub fn check(command: &Command, matches: &ArgMatches) -> Result<()> {
    let (mut command, mut matches) = (command, matches);
    while let Some((name, inner)) = matches.subcommand() {
        matches = inner;
        command = command.find_subcommand(name).unwrap_or(command);
    }
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for id in matches.ids() {
        let id = id.as_str();
        let argument = || shown(command, id);
        let written = matches.try_get_many::<OutputPath>(id).ok().flatten();
        outputs.extend(written.into_iter().flatten().map(|path| Named {
            argument: argument(),
            path,
        }));
        inputs.extend(read(matches, id).into_iter().map(|path| Named {
            argument: argument(),
            path,
        }));
    }
    let mut streams = inputs.iter().filter(|input| input.path.as_os_str() == "-");
    if let (Some(first), Some(second)) = (streams.next(), streams.next()) {
        let arguments = format!("{}, {}", first.argument, second.argument);
        return Err(Error::parameter(
            arguments,
            "standard input twice",
            "standard input once",
        ));
    }
    for (index, output) in outputs.iter().enumerate() {
        let same = |input: &&Named<PathBuf>| match input.path.as_os_str() == "-" {
            true => is_standard_input(output.path),
            false => same_file(&input.path, output.path),
        };
        let input = inputs.iter().find(same).map(|input| &input.argument);
        let mut others = outputs.iter().take(index);
        let other = others.find(|other| same_output(other.path, output.path));
        if let Some(other) = input.or(other.map(|other| &other.argument)) {
            let arguments = format!("{}, {other}", output.argument);
            let expected = format!("two different files instead of {}", output.path.display());
            return Err(Error::parameter(arguments, "the same file", expected));
        }
    }
    outputs
        .iter()
        .try_for_each(|output| output.path.check(&output.argument))
}

/// Returns the displayed name of an argument of `command`, such as `--output` or `PLAN`. If
/// `command` has no argument `id`, then `id` is a global option.
fn shown(command: &Command, id: &str) -> String {
    let argument = command.get_arguments().find(|argument| argument.get_id() == id);
    let value = argument.filter(|argument| argument.is_positional());
    match value.and_then(|argument| argument.get_value_names()?.first()) {
        Some(name) => name.to_string(),
        None => format!("--{}", id.replace('_', "-")),
    }
}

/// Returns the input files that the argument `id` names.
fn read(matches: &ArgMatches, id: &str) -> Vec<PathBuf> {
    if NAMES.contains(&id) {
        let values = matches.get_raw(id).into_iter().flatten();
        return values.map(PathBuf::from).collect();
    }
    match matches.try_get_many::<PathBuf>(id) {
        Ok(Some(paths)) => paths.cloned().collect(),
        _ => Vec::new(), // not a path
    }
}

/// Whether the paths `a` and `b` refer to the same regular file.
fn same_file(a: &Path, b: &Path) -> bool {
    match (fs::canonicalize(a), fs::canonicalize(b)) {
        (Ok(a), Ok(b)) => a == b && a.is_file(),
        _ => false,
    }
}

/// Whether the outputs `a` and `b` go to the same file. The file may not exist yet. Returns false
/// for devices and streams, because they accept any number of outputs.
fn same_output(a: &Path, b: &Path) -> bool {
    let is_stream = a == Path::new("-") || (a.exists() && !a.is_file());
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    !is_stream && real(a) == real(b)
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

/// Returns false, because gpusched cannot identify the file of standard input on this system.
#[cfg(not(unix))]
fn is_standard_input(_path: &Path) -> bool {
    false
}
