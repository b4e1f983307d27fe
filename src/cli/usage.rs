//! What is wrong with an option or its value, in the words of all other errors: option, found, expected.

mod missing;
#[cfg(test)]
mod tests;
mod value;

use std::any::TypeId;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, Command};

use super::output::OutputPath;
use crate::error::{Error, Result, one_line};

/// `command`, in which a negative number after an option is a value of that option, which says what it expects. Not so of paths
/// and names: there it is another option.
pub(super) fn prepared(command: Command) -> Command {
    let command = command.mut_args(|option| {
        let takes_number = takes_value(&option) && !option.is_positional() && !takes_anything(&option);
        option.allow_negative_numbers(takes_number)
    });
    command.mut_subcommands(prepared)
}

/// Whether a value belongs to `option`.
fn takes_value(option: &Arg) -> bool {
    matches!(option.get_action(), ArgAction::Set | ArgAction::Append)
}

/// Whether `option` takes any text, as names and paths do.
fn takes_anything(option: &Arg) -> bool {
    let kind = option.get_value_parser().type_id();
    [
        TypeId::of::<String>(),
        TypeId::of::<OsString>(),
        TypeId::of::<PathBuf>(),
        TypeId::of::<OutputPath>(),
    ]
    .iter()
    .any(|free| kind == *free)
}

/// The error for an option without its value, or with a value that it does not take; `None` for all else, which clap says well.
pub(super) fn explained(command: &Command, arguments: &[OsString], error: &clap::Error) -> Option<Error> {
    match error.kind() {
        ErrorKind::ValueValidation | ErrorKind::TooManyValues => value::bad(command, arguments, error),
        ErrorKind::InvalidValue => {
            value::bad(command, arguments, error).or_else(|| missing::value(command, arguments, error))
        }
        ErrorKind::UnknownArgument => missing::behind_blank(command, arguments, error)
            .or_else(|| missing::behind_flag(command, arguments, error)),
        _ => None,
    }
}

/// `error`, which repeats no more of the arguments than any other error does.
pub(super) fn in_short(mut error: clap::Error) -> clap::Error {
    let repeated: Vec<(ContextKind, String)> = error
        .context()
        .filter_map(|(kind, value)| match value {
            ContextValue::String(text) => Some((kind, one_line(text))),
            _ => None,
        })
        .collect();
    for (kind, text) in repeated {
        // A suggestion repeats it, too.
        if error.get(kind) != Some(&ContextValue::String(text.clone())) {
            error.insert(ContextKind::Suggested, ContextValue::None);
        }
        error.insert(kind, ContextValue::String(text));
    }
    error
}

/// The command that `arguments` name.
fn named<'c>(command: &'c Command, arguments: &[OsString]) -> &'c Command {
    let words = arguments.iter().skip(1);
    words.fold(command, |leaf, word| leaf.find_subcommand(word).unwrap_or(leaf))
}

/// Refuses a global option that is given twice: before a subcommand and after it, where clap takes the last in silence.
///
/// # Errors
/// [`Error::Refused`] with the option.
pub(super) fn check_once(command: &Command, arguments: &[OsString]) -> Result<()> {
    let mut given = Vec::new();
    let arguments = arguments.iter().skip(1).take_while(|argument| *argument != "--");
    for argument in arguments {
        let text = argument.to_string_lossy().into_owned();
        for option in command.get_arguments().filter(|option| option.is_global_set()) {
            let takes_value = matches!(option.get_action(), ArgAction::Set);
            let long = option.get_long().unwrap_or_default();
            let is_long = text
                .strip_prefix("--")
                .is_some_and(|text| text.split('=').next() == Some(long));
            let short = option.get_short().map(|short| format!("-{short}"));
            let is_short =
                short.is_some_and(|short| text == short || (takes_value && text.starts_with(&short)));
            if !is_long && !is_short {
                continue;
            }
            if given.contains(&long) {
                return Err(Error::parameter(format!("--{long}"), "it twice", "it once"));
            }
            given.push(long);
        }
    }
    Ok(())
}
