//! Guarantee: every error about an option names the option, the found value and the expected value.

use std::any::TypeId;
use std::path::PathBuf;

use clap::CommandFactory as _;

use super::*;
use crate::Cli;
use crate::report::OutputPath;
use gpusched_study::plot::Names;

fn message(arguments: &str) -> Option<String> {
    let arguments = ["gpusched"].into_iter().chain(arguments.split(' '));
    let arguments: Vec<OsString> = arguments.map(OsString::from).collect();
    told(&arguments)
}

/// Returns the error of clap for the invalid `arguments`.
fn refused(arguments: &[OsString]) -> (Command, clap::Error) {
    let mut command = prepared(Cli::command());
    let error = command.try_get_matches_from_mut(arguments).unwrap_err();
    command.build();
    (command, error)
}

/// Returns the error message about a value in the invalid `arguments`.
fn told(arguments: &[OsString]) -> Option<String> {
    let (command, error) = refused(arguments);
    said(&command, &error).or_else(|| Some(negative(&command, arguments, &error)?.to_string()))
}

/// Returns the error message if `error` is about a value, or `None` if it is about something else.
fn said(command: &Command, error: &clap::Error) -> Option<String> {
    bad_value(command, error).map(|refusal| refusal.to_string())
}

#[test]
fn global_options_are_given_once() {
    let check = |arguments: &str| {
        let arguments = ["gpusched"].into_iter().chain(arguments.split(' '));
        let arguments: Vec<OsString> = arguments.map(OsString::from).collect();
        check_once(Cli::command(), &arguments).map_err(|error| error.to_string())
    };
    for (arguments, option) in [
        ("--seed 1 generate --tasks 3 --utilization 1 --seed 2", "seed"),
        ("--threads=1 partition x --threads 2", "threads"),
        ("-q study run x --quiet", "quiet"),
        ("-oa partition x --sms 3 -o b", "output"),
        ("-qoa partition x -q", "quiet"),
        ("--format json study list --format=csv", "format"),
    ] {
        let expected = format!("--{option}: found the option twice, expected the option once");
        assert_eq!(check(arguments), Err(expected), "{arguments}");
    }
    for arguments in [
        "-q test --seed 1 --threads 2 -o x y",
        "partition x -o -1 --threads 2",
        "partition --seed 1 -- --seed 2",
        "plot x --where a=1 --where b=2",
    ] {
        assert_eq!(check(arguments), Ok(()), "{arguments}");
    }
}

#[test]
fn bad_values_are_told_like_all_else() {
    #[rustfmt::skip] // a table
    let table = [
        ("partition x --search-effort 0", "--search-effort: found 0, expected a whole number, at least 1 and below 2^64"),
        ("partition x --search-effort -1", "--search-effort: found -1, expected a whole number, at least 1 and below 2^64"),
        ("partition x --budget=-1", "--search-effort: found -1, expected a whole number, at least 1 and below 2^64"),
        ("validate --systems -1", "--systems: found -1, expected a whole number from 1 to 10000000000"),
        ("partition x --sms 0", "--sms: found 0, expected a whole number from 1 to 65536"),
        ("partition x --sms 7e4", "--sms: found 7e4, expected a whole number from 1 to 65536"),
        ("partition x --sms=-1", "--sms: found -1, expected a whole number from 1 to 65536"),
        ("partition x --gap=x", "--gap: found x, expected a whole number from 0 to 4294967295"),
        ("partition x --gap", "--gap: found nothing, expected a value (N)"),
        ("partition x --gap=", "--gap: found nothing, expected a whole number from 0 to 4294967295"),
        ("--threads -1 partition x", "--threads: found -1, expected a whole number from 1 to 1024"),
        ("partition x -o", "--output: found nothing, expected a value (PATH)"),
        ("partition x --format", "--format: found nothing, expected one of text, json, csv"),
        ("partition x --format=y", "--format: found y, expected one of text, json, csv"),
        ("partition x --export mips", "--export: found mips, expected one of libsmctrl, mps, mig, green-context, csv; did you mean mps?"),
        ("partition x --improve=y", "--improve: found y, expected no value"),
        ("simulate tasks x --gantt y --from 100", "--from: found \"100\", expected a time with its unit such as \"2.5us\" (s, ms, us, ns; whole nanoseconds)"),
        ("simulate tasks x --blocker -1", "--blocker: found -1, expected a whole number, at least 0 and below 2^64"),
        ("partition x --sms 8 --threads 0", "--threads: found 0, expected a whole number from 1 to 1024"),
        ("partition x --time-limit -5ms", "--time-limit: found \"-5ms\", expected a time with its unit such as \"2.5us\" (s, ms, us, ns; whole nanoseconds)"),
        ("generate -o x --seed=a", "--seed: found a, expected a whole number, at least 0 and below 2^64"),
    ];
    for (arguments, expected) in table {
        let found = message(arguments).unwrap_or_default();
        let (found, hint) = found.split_once("\n\nhint: ").unwrap_or((&found, ""));
        assert_eq!(found, expected, "{arguments}");
        assert_eq!(!hint.is_empty(), expected.starts_with("--sms"), "{arguments}");
    }
    assert_eq!(message("partition"), None);
    assert_eq!(message("partition x --nonsense 3"), None);
    assert_eq!(message("partition x y"), None); // a second task set
}

/// If a value starts with a hyphen, the message contains a hint: join the value to its option with `=`.
#[test]
fn values_behind_a_blank_are_joined() {
    let hint = |arguments: &str| {
        let arguments = ["gpusched"].into_iter().chain(arguments.split(' '));
        let arguments: Vec<OsString> = arguments.map(OsString::from).collect();
        let (command, error) = refused(&arguments);
        joined(&command, &arguments, &error)
    };
    for (arguments, expected) in [
        (
            "partition x -o -x",
            Some("to give '-x' to --output, write '--output=-x'"),
        ),
        (
            "partition x --gap -x",
            Some("to give '-x' to --gap, write '--gap=-x'"),
        ),
        ("partition x --improve 3", None),
        ("partition x --nonsense", None),
        ("partition x --sms", None),
    ] {
        assert_eq!(hint(arguments).as_deref(), expected, "{arguments}");
    }
}

/// A message repeats at most one line of a long argument.
#[test]
fn long_arguments_are_clipped() {
    let long = "y".repeat(5_000);
    for line in [
        "partition x --LONG",
        "LONG",
        "partition x --sms LONG",
        "partition x --format LONG",
        "partition x --improve=LONG",
    ] {
        let arguments = format!("gpusched {}", line.replace("LONG", &long));
        let arguments: Vec<OsString> = arguments.split(' ').map(OsString::from).collect();
        let (command, error) = refused(&arguments);
        let said = said(&command, &error).unwrap_or_else(|| in_short(error).to_string());
        assert!(said.contains("yyyy") && said.len() < 500, "{line}: {said}");
    }
}

/// Calls `look` for every option of every command, with the path of the command.
fn look_at(command: &Command, way: &[String], look: &mut impl FnMut(&[String], &Arg)) {
    if !command.has_subcommands() {
        let options = command.get_arguments().filter(|option| !option.is_positional());
        options
            .filter(|option| takes_value(option))
            .for_each(|option| look(way, option));
    }
    for inner in command
        .get_subcommands()
        .filter(|inner| inner.get_name() != "help")
    {
        let way = [way, &[inner.get_name().to_owned()]].concat();
        look_at(inner, &way, look);
    }
}

/// Whether `option` accepts any text, such as a name or a path.
fn takes_anything(option: &Arg) -> bool {
    let kind = option.get_value_parser().type_id();
    let free = [
        TypeId::of::<String>(),
        TypeId::of::<PathBuf>(),
        TypeId::of::<OutputPath>(),
        TypeId::of::<Names>(),
    ];
    free.iter().any(|free| kind == *free)
}

/// Options that gpusched validates together, after clap has parsed all of them.
const TOGETHER: [&str; 3] = ["utilization", "cap", "memory-share"];

/// For every option, an invalid value leads to a message with the option, the value and the expected value.
#[test]
fn no_option_takes_nonsense_or_tells_it_otherwise() {
    let mut command = prepared(Cli::command());
    command.build();
    let (mut refused, mut faults) = (0, Vec::new());
    look_at(&command, &["gpusched".to_owned()], &mut |way, option| {
        let long = option.get_long().unwrap();
        let name = format!("--{long}");
        for value in ["-1", "x", ""] {
            let mut ways = vec![vec![format!("{name}={value}")]];
            if !option.is_require_equals_set() {
                ways.push(vec![name.clone(), value.to_owned()]);
                ways.extend(value.is_empty().then(|| vec![name.clone()]));
            }
            for given in ways {
                let arguments: Vec<OsString> = way.iter().chain(&given).map(OsString::from).collect();
                let line = format!("{} {}", way.join(" "), given.join(" "));
                let error = command.clone().try_get_matches_from(&arguments).err();
                let is_complaint = |error: &clap::Error| error.kind() != ErrorKind::MissingRequiredArgument;
                let Some(error) = error.filter(is_complaint) else {
                    // gpusched checks names and paths later. A reference line may be negative.
                    let later = value == "-1" && (TOGETHER.contains(&long) || long == "reference");
                    if !takes_anything(option) && !later {
                        faults.push(format!("{line}\n  taken"));
                    }
                    continue;
                };
                refused += 1;
                let told = said(&command, &error).unwrap_or_default();
                let shown = if value.is_empty() { "nothing" } else { value };
                let names = told.starts_with(&format!("{name}: "));
                let quotes = told.contains(&format!("found {shown}")) || told.contains(&format!("{value:?}"));
                if !names || !quotes || !told.contains("expected") {
                    faults.push(format!("{line}\n  {told}"));
                }
            }
        }
    });
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(refused > 500, "{refused}");
}
