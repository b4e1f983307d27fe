//! Values that are not where clap looks for them, or where it looks for none.

use std::ffi::{OsStr, OsString};

use clap::error::ContextKind;
use clap::{Arg, Command};

use super::{named, takes_value, value};
use crate::error::Error;

/// The error for an option that ends the command line, or is followed by another one.
pub(super) fn value(command: &Command, arguments: &[OsString], error: &clap::Error) -> Option<Error> {
    let name = value::name(error)?;
    if let Some(option) = option(command, arguments, OsStr::new(name)) {
        let given = |argument: &OsString| names(option, argument);
        if let Some(position) = arguments.iter().rposition(given) {
            // What it says of no text is what it expects.
            let joined = joined(arguments, position, 1, OsString::from(format!("{name}=")));
            if let Some(error) = told(command, &joined) {
                return Some(error);
            }
        }
    }
    let argument = value::text(error, ContextKind::InvalidArg)?;
    let expected = argument
        .strip_prefix(name)?
        .trim_matches([' ', '=', '<', '>', '[', ']', '.']);
    let expected = if expected.is_empty() { "a value" } else { expected };
    Some(Error::parameter(name, "nothing", expected))
}

/// The error for what stands behind an option and a blank, though it does not look like its value.
pub(super) fn behind_blank(command: &Command, arguments: &[OsString], error: &clap::Error) -> Option<Error> {
    let token = value::text(error, ContextKind::InvalidArg)?;
    if token.starts_with("--") {
        return None; // an option that there is not
    }
    let is_token = |argument: &OsString| {
        let argument = argument.to_string_lossy();
        argument == token
            || (token.starts_with('-') && argument.starts_with(token) && !argument.starts_with("--"))
    };
    let mut pairs = arguments.windows(2).enumerate();
    let (position, option, found) = pairs.find_map(|(position, pair)| match pair {
        [before, found] if is_token(found) => {
            let option = option(command, arguments, before)?;
            takes_value(option).then_some((position, option, found.to_string_lossy()))
        }
        _ => None,
    })?;
    let name = format!("--{}", option.get_long()?);
    let joined = joined(arguments, position, 2, OsString::from(format!("{name}={found}")));
    let unclear = || {
        let written = format!("{name}={found}");
        match option.is_require_equals_set() {
            true => Error::parameter(&name, format!("{found} behind a blank"), written),
            false => {
                let expected = format!("a value; one that begins with a hyphen is written {written}");
                Error::parameter(&name, &found, expected)
            }
        }
    };
    Some(told(command, &joined).unwrap_or_else(unclear))
}

/// The error for what stands behind an option that takes no value, where nothing else is expected.
pub(super) fn behind_flag(command: &Command, arguments: &[OsString], error: &clap::Error) -> Option<Error> {
    let token = value::text(error, ContextKind::InvalidArg).filter(|token| !token.starts_with('-'))?;
    let behind = arguments.windows(2).find_map(|pair| match pair {
        [before, found] if found == token => option(command, arguments, before),
        _ => None,
    })?;
    let others = named(command, arguments).get_positionals();
    let names: Vec<String> = others
        .filter_map(|other| Some(other.get_value_names()?.first()?.to_string()))
        .collect();
    let name = format!("--{}", behind.get_long()?);
    let expected = match names.is_empty() {
        true => "no value".to_owned(),
        false => format!("no value, and nothing else beside {}", names.join(" and ")),
    };
    Some(Error::parameter(name, format!("{token} behind it"), expected))
}

/// What is wrong with a value in `arguments`.
fn told(command: &Command, arguments: &[OsString]) -> Option<Error> {
    let error = command.clone().try_get_matches_from(arguments).err()?;
    value::bad(command, arguments, &error)
}

/// `arguments` with `by` in place of `count` of them from `position` on.
fn joined(arguments: &[OsString], position: usize, count: usize, by: OsString) -> Vec<OsString> {
    let (before, rest) = arguments.split_at(position);
    let after = rest.iter().skip(count);
    before.iter().cloned().chain([by]).chain(after.cloned()).collect()
}

/// The option that `argument` names, of the command that `arguments` name.
fn option<'c>(command: &'c Command, arguments: &[OsString], argument: &OsStr) -> Option<&'c Arg> {
    let leaf = named(command, arguments);
    let mut options = leaf.get_arguments().chain(command.get_arguments());
    options.find(|option| names(option, argument))
}

/// Whether `argument` is the name of `option` and nothing else.
fn names(option: &Arg, argument: &OsStr) -> bool {
    let long = option.get_long().map(|long| format!("--{long}"));
    let short = option.get_short().map(|short| format!("-{short}"));
    [long, short]
        .iter()
        .flatten()
        .any(|name| argument == name.as_str())
}
