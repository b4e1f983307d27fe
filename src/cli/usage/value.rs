//! Values that an option does not take.

use std::error::Error as _;
use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::named;
use crate::error::{Error, excerpt};

/// What `error` says of `kind`, if that is one text.
pub(super) fn text(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    }
}

/// The name of the argument that `error` is about: `--gap` of `--gap <N>`.
pub(super) fn name(error: &clap::Error) -> Option<&str> {
    let argument = text(error, ContextKind::InvalidArg)?;
    let argument = argument.split([' ', '=']).next().unwrap_or(argument);
    Some(argument.trim_matches(['<', '>', '[', ']', '.']))
}

/// The error for a value that an argument of `arguments` does not take; `None` where it has none, and nothing says which there are.
pub(super) fn bad(command: &Command, arguments: &[OsString], error: &clap::Error) -> Option<Error> {
    let argument = name(error)?;
    let found = &excerpt(text(error, ContextKind::InvalidValue)?);
    let said =
        |expected: String| Error::Usage(format!("{argument}: found {}, expected {expected}", shown(found)));
    if error.kind() == ErrorKind::TooManyValues {
        return Some(said("no value".to_owned()));
    }
    if error.kind() == ErrorKind::InvalidValue {
        let Some(ContextValue::Strings(known)) = error.get(ContextKind::ValidValue) else {
            return None;
        };
        return (!known.is_empty()).then(|| said(format!("one of {}", known.join(", "))));
    }
    let reason = error.source()?.to_string();
    let own = format!("{}: ", argument.trim_start_matches('-'));
    let reason = reason.strip_prefix(&own).unwrap_or(&reason);
    if reason == NO_DIGITS && found.parse::<i128>().is_ok() {
        return Some(said(least(named(command, arguments), argument)));
    }
    Some(Error::Usage(format!("{argument}: {}", complaint(found, reason))))
}

/// What is said of a minus sign where numbers have none.
const NO_DIGITS: &str = "invalid digit found in string";

/// The least whole number that `argument` of `command` takes, in words: what it says of zero says that.
fn least(command: &Command, argument: &str) -> String {
    let probe = ["".to_owned(), format!("{argument}=0")];
    let refusal = command.clone().try_get_matches_from(probe).err();
    let reason = refusal.and_then(|error| Some(error.source()?.to_string()));
    let range = reason
        .as_deref()
        .and_then(|reason| reason.split_once(" is not in "));
    range.map_or("a whole number, at least 0".to_owned(), |(_, range)| {
        in_words(range)
    })
}

/// `found FOUND, expected …` as far as `reason` says what was expected.
fn complaint(found: &str, reason: &str) -> String {
    // A file that is found wrong is named already.
    let in_file = !found.is_empty() && reason.starts_with(&format!("{found}:"));
    if in_file || (reason.contains("expected") && !reason.starts_with("expected")) {
        return reason.to_owned();
    }
    let expected = match reason {
        NO_DIGITS | "cannot parse integer from empty string" => "a whole number".to_owned(),
        "number too large to fit in target type" => "a smaller number".to_owned(),
        "number too small to fit in target type" => "a larger number".to_owned(),
        "invalid float literal" | "cannot parse float from empty string" => "a number".to_owned(),
        _ => match (reason.strip_prefix("expected "), reason.split_once(" is not in ")) {
            (Some(expected), _) => expected.to_owned(),
            (None, Some((_, range))) => in_words(range),
            (None, None) => return format!("found {}: {reason}", shown(found)),
        },
    };
    format!("found {}, expected {expected}", shown(found))
}

/// A value as it stands in messages.
fn shown(found: &str) -> &str {
    match found {
        "" => "nothing",
        _ => found,
    }
}

/// A range as clap writes it.
fn in_words(range: &str) -> String {
    match range.split_once("..") {
        Some((from, "" | "18446744073709551615" | "9223372036854775807")) => format!("at least {from}"),
        Some((from, to)) => match to.strip_prefix('=') {
            Some(to) => format!("{from} to {to}"),
            None => format!("{from} to less than {to}"),
        },
        None => range.to_owned(),
    }
}
