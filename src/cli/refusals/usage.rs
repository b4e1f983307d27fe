//! What is wrong with the command line: option, found, expected, in the words of all other errors.

#[cfg(test)]
mod tests;

use std::error::Error as _;
use std::ffi::OsString;
use std::iter;

use clap::builder::ValueParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, Command};

use crate::cli::arguments::{NEXT, refused};
use crate::error::{Error, Refusal, Result, excerpt};

/// `command`, in which a negative number after an option is a value of that option, which says what it expects.
pub fn prepared(command: Command) -> Command {
    let command = command.mut_args(|option| {
        let takes_number = takes_value(&option) && !option.is_positional();
        option.allow_negative_numbers(takes_number)
    });
    command.mut_subcommands(prepared)
}

/// Whether a value belongs to `option`.
fn takes_value(option: &Arg) -> bool {
    matches!(option.get_action(), ArgAction::Set | ArgAction::Append)
}

/// What `error` says of `arguments`. Values that an option does not take are told in our words; all else clap says well, which then
/// ends the process, as help does.
pub fn refusal(command: &mut Command, arguments: &[OsString], mut error: clap::Error) -> Error {
    command.build(); // or arguments have no text form
    if let Some(refusal) = bad_value(command, &error).or_else(|| negative(command, arguments, &error)) {
        return refusal.into();
    }
    if let Some(hint) = joined(command, arguments, &error) {
        let hint = ContextValue::StyledStrs(vec![hint.into()]);
        error.insert(ContextKind::Suggested, hint);
    }
    in_short(error).exit()
}

/// What is wrong with a value, or with one that is missing; `None` for all other errors.
fn bad_value(command: &Command, error: &clap::Error) -> Option<Refusal> {
    let option = known(command, &|option| {
        text(error, ContextKind::InvalidArg) == Some(&option.to_string())
    })?;
    let found = text(error, ContextKind::InvalidValue).unwrap_or_default();
    let message = match (error.kind(), error.get(ContextKind::ValidValue)) {
        // Every parser says what it found and what it expected.
        (ErrorKind::ValueValidation, _) => error.source()?.to_string(),
        (ErrorKind::TooManyValues, _) => refused(found, "no value"),
        (ErrorKind::InvalidValue, Some(ContextValue::Strings(values))) if !values.is_empty() => {
            let nearest = text(error, ContextKind::SuggestedValue);
            let hint = nearest.map_or(String::new(), |value| format!("; did you mean {value}?"));
            refused(found, format_args!("one of {}{hint}", values.join(", ")))
        }
        (ErrorKind::InvalidValue, _) => {
            let names = option.get_value_names().unwrap_or_default();
            refused(found, format_args!("a value ({})", names.join(" ")))
        }
        _ => return None,
    };
    let refusal = Refusal::told(name(option), message);
    // Commands that take a number of SMs or a GPU.
    let is_either = option.get_long() == Some("sms") && option.get_help_heading() == Some("GPU");
    Some(match is_either {
        true => refusal.hint(NEXT),
        false => refusal,
    })
}

/// What is wrong with a negative value with a unit, such as -5ms, that stands behind its option and is not taken for a value.
fn negative(command: &Command, arguments: &[OsString], error: &clap::Error) -> Option<Refusal> {
    let found = text(error, ContextKind::InvalidArg)?;
    let is_value = |value: &OsString| {
        let rest = value.to_str().and_then(|value| value.strip_prefix('-'));
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
            && value.to_str().is_some_and(|value| value.starts_with(found))
    };
    let at = 1 + arguments.iter().skip(1).position(is_value)?;
    let before = arguments[at - 1]
        .to_str()
        .filter(|before| before.starts_with("--"))?;
    let mut joined = arguments.to_vec();
    joined[at - 1] = format!("{before}={}", arguments[at].to_str()?).into();
    joined.remove(at);
    let error = command.clone().try_get_matches_from(joined).err()?;
    bad_value(command, &error)
}

/// How to write an argument that stands behind an option and a blank, and is not taken as its value.
fn joined(command: &Command, arguments: &[OsString], error: &clap::Error) -> Option<String> {
    let found =
        text(error, ContextKind::InvalidArg).filter(|_| error.kind() == ErrorKind::UnknownArgument)?;
    arguments.windows(2).find_map(|pair| {
        let [before, value] = pair else { return None };
        let short = |option: &Arg| {
            option
                .get_short()
                .is_some_and(|short| *before == *format!("-{short}"))
        };
        let long = |option: &Arg| {
            option
                .get_long()
                .is_some_and(|long| *before == *format!("--{long}"))
        };
        let option = known(command, &|option| {
            takes_value(option) && (short(option) || long(option))
        })?;
        (value == found).then(|| {
            let found = excerpt(found);
            format!("to give '{found}' to {0}, write '{0}={found}'", name(option))
        })
    })
}

/// `error`, which repeats no more of the arguments than any other error does.
fn in_short(mut error: clap::Error) -> clap::Error {
    let repeated: Vec<(ContextKind, String)> = error
        .context()
        .filter_map(|(kind, value)| match value {
            ContextValue::String(text) => Some((kind, excerpt(text))),
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

/// What `error` says of `kind`, if that is one text.
fn text(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text),
        _ => None,
    }
}

/// The first argument of `command` and the commands in it that is looked for.
fn known<'c>(command: &'c Command, wanted: &dyn Fn(&Arg) -> bool) -> Option<&'c Arg> {
    let mut own = command.get_arguments();
    let mut inner = command.get_subcommands();
    own.find(|option| wanted(option))
        .or_else(|| inner.find_map(|inner| known(inner, wanted)))
}

/// The name of `option` as people know it: `--gap`, or `SET`.
fn name(option: &Arg) -> String {
    match (option.get_long(), option.get_value_names()) {
        (Some(long), _) => format!("--{long}"),
        (None, Some([name, ..])) => name.to_string(),
        (None, _) => option.get_id().to_string(),
    }
}

/// Refuses a global option that is given twice: before a subcommand and after it, where clap takes the last in silence.
///
/// # Errors
/// [`Error::Refused`] with the option.
pub fn check_once(command: Command, arguments: &[OsString]) -> Result<()> {
    let options = command.get_arguments().filter(|option| option.is_global_set());
    let options: Vec<Arg> = options.map(|option| as_text(option.clone())).collect();
    let Ok(matches) = without_globals(command, &options).try_get_matches_from(arguments) else {
        return Ok(()); // said already
    };
    for option in &options {
        let id = option.get_id().as_str();
        let commands = iter::successors(Some(&matches), |matches| Some(matches.subcommand()?.1));
        let given = commands.filter(|matches| matches.value_source(id) == Some(ValueSource::CommandLine));
        if given.count() > 1 {
            return Err(Error::parameter(name(option), "it twice", "it once"));
        }
    }
    Ok(())
}

/// `command`, in which every command has `options` of its own, and all values are mere texts.
fn without_globals(command: Command, options: &[Arg]) -> Command {
    let command = command.mut_args(as_text);
    command.mut_subcommands(|inner| without_globals(inner.args(options), options))
}

/// `option` of one command alone, with any text as its value.
fn as_text(option: Arg) -> Arg {
    match takes_value(&option) {
        true => option.global(false).value_parser(ValueParser::os_string()),
        false => option.global(false),
    }
}
