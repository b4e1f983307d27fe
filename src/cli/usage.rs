//! What is wrong with an option or its value, in the words of all other errors: option, found, expected.

use std::error::Error as _;
use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use clap::{ArgAction, Command};

use crate::error::{Error, Result};

/// Refuses a global option that is given twice: before a subcommand and after it, where clap takes the last in silence.
///
/// # Errors
/// [`Error::Usage`] with the option.
pub(super) fn check_once(command: &Command, arguments: impl Iterator<Item = OsString>) -> Result<()> {
    let mut given = Vec::new();
    let arguments = arguments.skip(1).take_while(|argument| argument != "--");
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
                return Err(Error::Usage(format!(
                    "--{long}: found it twice, expected it once"
                )));
            }
            given.push(long);
        }
    }
    Ok(())
}

/// The error for a value that an option does not take; `None` for all else, which clap says well.
pub(super) fn bad_value(error: &clap::Error) -> Option<Error> {
    if error.kind() != ErrorKind::ValueValidation {
        return None;
    }
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let argument = text(ContextKind::InvalidArg)?;
    let argument = argument.split([' ', '=']).next().unwrap_or(argument);
    let argument = argument.trim_matches(['<', '>', '[', ']', '.']);
    let found = text(ContextKind::InvalidValue)?;
    let reason = error.source()?.to_string();
    let own = format!("{}: ", argument.trim_start_matches('-'));
    let reason = reason.strip_prefix(&own).unwrap_or(&reason);
    Some(Error::Usage(format!("{argument}: {}", complaint(found, reason))))
}

/// `found FOUND, expected …` as far as `reason` says what was expected.
fn complaint(found: &str, reason: &str) -> String {
    if reason.contains("expected") && !reason.starts_with("expected") {
        return reason.to_owned();
    }
    let found = match found {
        "" => "nothing".to_owned(),
        _ => found.to_owned(),
    };
    let expected = match reason {
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            "a whole number".to_owned()
        }
        "number too large to fit in target type" => "a smaller number".to_owned(),
        "number too small to fit in target type" => "a larger number".to_owned(),
        "invalid float literal" | "cannot parse float from empty string" => "a number".to_owned(),
        _ => match (reason.strip_prefix("expected "), reason.split_once(" is not in ")) {
            (Some(expected), _) => expected.to_owned(),
            (None, Some((_, range))) => in_words(range),
            (None, None) => return format!("found {found}: {reason}"),
        },
    };
    format!("found {found}, expected {expected}")
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

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    fn message(arguments: &str) -> Option<String> {
        let arguments = ["gpusched"].into_iter().chain(arguments.split(' '));
        let error = Cli::command().try_get_matches_from(arguments).unwrap_err();
        bad_value(&error).map(|error| error.to_string())
    }

    #[test]
    fn global_options_are_given_once() {
        let check = |arguments: &str| {
            let arguments = ["gpusched"].into_iter().chain(arguments.split(' '));
            check_once(&Cli::command(), arguments.map(OsString::from)).map_err(|error| error.to_string())
        };
        for (arguments, option) in [
            ("--seed 1 generate --seed 2", "seed"),
            ("--threads=1 partition x --threads 2", "threads"),
            ("-q study run x --quiet", "quiet"),
            ("-oa partition x -o b", "output"),
            ("partition x --format json --format=csv", "format"),
        ] {
            let expected = format!("--{option}: found it twice, expected it once");
            assert_eq!(check(arguments), Err(expected), "{arguments}");
        }
        for arguments in [
            "-q generate --seed 1 --threads 2 -o x",
            "partition --seed 1 -- --seed 2",
            "import ptx x -p a=1 -p b=2",
        ] {
            assert_eq!(check(arguments), Ok(()), "{arguments}");
        }
    }

    #[test]
    fn bad_values_are_told_like_all_else() {
        for (arguments, expected) in [
            ("partition x --budget 0", "--budget: found 0, expected at least 1"),
            ("partition x --sms 0", "--sms: found 0, expected 1 to 65536"),
            (
                "partition x --sms 7e4",
                "--sms: found 7e4, expected a whole number",
            ),
            ("partition x --sms=-1", "--sms: found -1, expected 1 to 65536"),
            (
                "partition x --gap=-1",
                "--gap: found -1, expected 0 to 4294967295",
            ),
            ("partition x --gap=x", "--gap: found x, expected a whole number"),
            (
                "partition x --sms 8 --threads 0",
                "--threads: found 0, expected 1 to 1024",
            ),
            (
                "generate -o x --seed=a",
                "--seed: found a, expected a whole number",
            ),
        ] {
            assert_eq!(message(arguments).as_deref(), Some(expected), "{arguments}");
        }
        assert_eq!(message("partition"), None);
        assert_eq!(message("partition x --gap -1"), None); // no value at all, to clap
        assert_eq!(message("partition x --policy y"), None);
    }
}
