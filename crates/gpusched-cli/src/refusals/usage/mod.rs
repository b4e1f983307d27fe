//! Errors of the command line, in the common format of gpusched. An error states the option, the found value and the
//! expected value.

use std::error::Error as _;
use std::ffi::OsString;
use std::iter;

use clap::builder::ValueParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::Stop;
use crate::arguments::{NEXT, refused};
use gpusched_model::error::{Error, Refusal, Result, excerpt};

/// Returns `command` with options that accept a negative number as their value. As a result, the error message can
/// state the expected value.
pub fn prepared(command: Command) -> Command {
    let command = command.mut_args(|option| {
        let takes_number = takes_value(&option) && !option.is_positional();
        option.allow_negative_numbers(takes_number)
    });
    command.mut_subcommands(prepared)
}

/// Whether `option` takes a value.
fn takes_value(option: &Arg) -> bool {
    matches!(option.get_action(), ArgAction::Set | ArgAction::Append)
}

/// If the `error` of clap about `arguments` concerns the value of an option, converts the error. All other errors and
/// the help stay messages of clap.
pub fn refusal(command: &mut Command, arguments: &[OsString], mut error: clap::Error) -> Stop {
    command.build(); // gives arguments a text form
    if let Some(refusal) = bad_value(command, &error).or_else(|| negative(command, arguments, &error)) {
        return Stop::Failed(refusal.into());
    }
    if let Some(hint) = joined(command, arguments, &error) {
        let hint = ContextValue::StyledStrs(vec![hint.into()]);
        error.insert(ContextKind::Suggested, hint);
    }
    Stop::Said(in_short(error))
}

/// Returns the error of an invalid or missing value; `None` for all other errors.
fn bad_value(command: &Command, error: &clap::Error) -> Option<Refusal> {
    let option = known(command, &|option| {
        text(error, ContextKind::InvalidArg) == Some(&option.to_string())
    })?;
    let found = text(error, ContextKind::InvalidValue).unwrap_or_default();
    let message = match (error.kind(), error.get(ContextKind::ValidValue)) {
        // The message of each parser states the found value and the expected value.
        (ErrorKind::ValueValidation, _) => error.source()?.to_string(),
        (ErrorKind::TooManyValues, _) => refused(found, "no value"),
        (ErrorKind::InvalidValue, Some(ContextValue::Strings(values))) if !values.is_empty() => {
            let nearest = text(error, ContextKind::SuggestedValue);
            let other = option.get_long().and_then(|long| accepting(command, long, found));
            let hint = match (other, nearest) {
                (Some(other), _) => format!("; `{other}` accepts {found}"),
                (None, Some(value)) => format!("; did you mean {value}?"),
                (None, None) => String::new(),
            };
            refused(found, format_args!("one of {}{hint}", values.join(", ")))
        }
        (ErrorKind::InvalidValue, _) => {
            let names = option.get_value_names().unwrap_or_default();
            refused(found, format_args!("a value ({})", names.join(" ")))
        }
        _ => return None,
    };
    let refusal = Refusal::told(name(option), message);
    // Only some commands accept `--gpu` as an alternative to `--sms`.
    let is_either = option.get_long() == Some("sms") && option.get_help_heading() == Some("GPU");
    Some(match is_either {
        true => refusal.hint(NEXT),
        false => refusal,
    })
}

/// Returns the first subcommand of `command` whose option `long` accepts the name `value`.
fn accepting(command: &Command, long: &str, value: &str) -> Option<String> {
    command.get_subcommands().find_map(|inner| {
        let mut options = inner
            .get_arguments()
            .filter(|option| option.get_long() == Some(long));
        let accepts = |option: &Arg| {
            let values = option.get_possible_values();
            values.iter().any(|known| known.matches(value, false))
        };
        match options.any(accepts) {
            true => Some(inner.get_bin_name().unwrap_or(inner.get_name()).to_owned()),
            false => accepting(inner, long, value),
        }
    })
}

/// Returns the error about a negative value with a unit, such as `-5ms`, that follows its option. clap treats `-5ms` as
/// an unknown option.
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

/// Returns a hint about a value that starts with a hyphen: join the value to its option with `=`.
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

/// Returns `error` with long arguments shortened in its message.
fn in_short(mut error: clap::Error) -> clap::Error {
    let repeated: Vec<(ContextKind, String)> = error
        .context()
        .filter_map(|(kind, value)| match value {
            ContextValue::String(text) => Some((kind, excerpt(text))),
            _ => None,
        })
        .collect();
    for (kind, text) in repeated {
        // Remove the suggestion, because it also repeats the long argument.
        if error.get(kind) != Some(&ContextValue::String(text.clone())) {
            error.insert(ContextKind::Suggested, ContextValue::None);
        }
        error.insert(kind, ContextValue::String(text));
    }
    error
}

/// Returns the text that `error` contains for `kind`; `None` if there is no single text.
fn text(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text),
        _ => None,
    }
}

/// Returns the first argument of `command` or of a subcommand for which `wanted` is true.
fn known<'c>(command: &'c Command, wanted: &dyn Fn(&Arg) -> bool) -> Option<&'c Arg> {
    let mut own = command.get_arguments();
    let mut inner = command.get_subcommands();
    own.find(|option| wanted(option))
        .or_else(|| inner.find_map(|inner| known(inner, wanted)))
}

/// Returns the displayed name of `option`, such as `--gap` or `SET`.
fn name(option: &Arg) -> String {
    match (option.get_long(), option.get_value_names()) {
        (Some(long), _) => format!("--{long}"),
        (None, Some([name, ..])) => name.to_string(),
        (None, _) => option.get_id().to_string(),
    }
}

/// Whether [`check_once`] may refuse `arguments`, which have the values `matches`. Only options that precede the name of a
/// subcommand can be repeated after it.
pub fn may_repeat(matches: &ArgMatches, arguments: &[OsString]) -> bool {
    let commands = iter::successors(Some(matches), |matches| Some(matches.subcommand()?.1));
    let names = commands.count() - 1;
    let mut first = arguments.iter().skip(1).take(names);
    first.any(|argument| argument.as_encoded_bytes().starts_with(b"-"))
}

/// Refuses a global option that appears both before and after a subcommand. clap would silently
/// ignore the first value.
///
/// # Errors
/// Fails with [`Error::Refused`], which states the name of the option.
pub fn check_once(command: Command, arguments: &[OsString]) -> Result<()> {
    let options = command.get_arguments().filter(|option| option.is_global_set());
    let options: Vec<Arg> = options.map(|option| as_text(option.clone())).collect();
    let Ok(matches) = without_globals(command, &options).try_get_matches_from(arguments) else {
        return Ok(()); // already reported
    };
    for option in &options {
        let id = option.get_id().as_str();
        let commands = iter::successors(Some(&matches), |matches| Some(matches.subcommand()?.1));
        let given = commands.filter(|matches| matches.value_source(id) == Some(ValueSource::CommandLine));
        if given.count() > 1 {
            return Err(Error::parameter(
                name(option),
                "the option twice",
                "the option once",
            ));
        }
    }
    Ok(())
}

/// Returns `command` with `options` added to every subcommand. All options accept any text.
fn without_globals(command: Command, options: &[Arg]) -> Command {
    let command = command.mut_args(as_text);
    command.mut_subcommands(|inner| without_globals(inner.args(options), options))
}

/// Returns `option` as a non-global option that accepts any text.
fn as_text(option: Arg) -> Arg {
    match takes_value(&option) {
        true => option.global(false).value_parser(ValueParser::os_string()),
        false => option.global(false),
    }
}
