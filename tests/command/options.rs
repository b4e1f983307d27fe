//! Options of all commands: each option has one meaning, and every error about an option names the option, the found value and the
//! expected value.

use std::any::TypeId;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command, CommandFactory as _};
use gpusched::error::Error;
use gpusched::study::plot::Names;
use gpusched_cli::embedding::{Failure, Watch, call};
use gpusched_cli::{Cli, Outcome, OutputPath, Stop, exit_code, usage};

use crate::support::run;

/// Returns all commands.
fn commands() -> Command {
    gpusched::register_parts();
    let mut command = usage::prepared(Cli::command());
    command.build();
    command
}

fn words(line: &str) -> Vec<OsString> {
    let words = ["gpusched"].into_iter().chain(line.split(' '));
    words.map(OsString::from).collect()
}

/// Returns the error message if clap refuses the value of an option. Returns `None` if the error of clap is about something
/// else.
fn told(command: &mut Command, arguments: &[OsString]) -> Option<String> {
    let error = command.try_get_matches_from_mut(arguments).unwrap_err();
    match usage::refusal(command, arguments, error) {
        Stop::Failed(error) => Some(error.to_string()),
        Stop::Said(_) => None,
    }
}

/// Returns the error message of a command that fails.
fn failure(line: &str) -> String {
    gpusched::register_parts();
    match call(&words(line), &Watch::default()) {
        Err(Failure::Failed(error)) => error.to_string(),
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn command_line_is_consistent() {
    gpusched::register_parts();
    Cli::command().debug_assert();
}

/// clap checks this property only in debug builds.
#[test]
fn each_option_has_one_meaning() {
    fn check(command: &Command) {
        let options = command.get_arguments();
        let names = options.flat_map(|option| option.get_long_and_visible_aliases().unwrap_or_default());
        let mut names: Vec<&str> = names.collect();
        names.sort_unstable();
        let twice = names.windows(2).find(|pair| pair[0] == pair[1]);
        assert_eq!(twice, None, "{}", command.get_name());
        command.get_subcommands().for_each(check);
    }
    check(&commands());
}

#[test]
fn exit_codes_follow_the_contract() {
    assert_eq!(exit_code(|| Ok(Outcome::Positive)), 0);
    assert_eq!(exit_code(|| Ok(Outcome::Negative)), 1);
    assert_eq!(exit_code(|| Ok(Outcome::Unread)), 141);
    let refused = |error: Error| exit_code(|| Err(Stop::Failed(error)));
    assert_eq!(refused(Error::parameter("a", "test", "none")), 2);
    assert_eq!(refused(Error::Internal("a test".to_owned())), 3);
    assert_eq!(exit_code(|| panic!("a test")), 3);
    let broken = Error::io("fifo", "write", std::io::ErrorKind::BrokenPipe.into());
    assert_eq!(refused(broken), 2);
}

#[test]
fn one_answer_that_says_no_decides() {
    assert_eq!(Outcome::of_answers(false, false), Outcome::Negative);
    assert_eq!(Outcome::of_answers(false, true), Outcome::Negative);
    assert_eq!(Outcome::of_answers(true, false), Outcome::Unread);
    assert_eq!(Outcome::of_answers(true, true), Outcome::Positive);
}

#[test]
fn every_file_that_is_written_is_known() {
    /// Checks that every option whose help describes an output file has the type `OutputPath`.
    fn look_at(command: &Command, found: &mut Vec<String>) {
        for option in command.get_arguments() {
            let help = option.get_help().map(ToString::to_string).unwrap_or_default();
            let names_file = option.get_value_names().is_some_and(|names| {
                let name = names.first().map(ToString::to_string).unwrap_or_default();
                name.starts_with("PATH") || name.starts_with("FILE")
            });
            let writes = ["Also write", "Also draw", "Where ", "File for", "File of the"];
            if names_file && writes.iter().any(|start| help.starts_with(start)) {
                let is_known = option.get_value_parser().type_id() == TypeId::of::<OutputPath>();
                assert!(is_known, "{}: {help}", option.get_id());
                found.push(option.get_id().to_string());
            }
        }
        command.get_subcommands().for_each(|inner| look_at(inner, found));
    }
    let mut found = Vec::new();
    look_at(&commands(), &mut found);
    found.sort();
    found.dedup();
    assert!(found.len() >= 9, "{found:?}");
}

/// Library errors name parameters, and the errors of a command name its options instead. A field of a file is not an option.
#[test]
fn parameters_are_named_by_their_options() {
    let folder = tempfile::tempdir().unwrap();
    let study = folder.path().join("a.toml").display().to_string();
    std::fs::write(&study, include_str!("../study_support/cases.toml")).unwrap();
    let override_of_cases = failure(&format!("study run {study} --sets 3 -o x"));
    assert!(
        override_of_cases.starts_with("--sets: found "),
        "{override_of_cases}"
    );
    let set = folder.path().join("a.json").display().to_string();
    std::fs::write(&set, r#"{"tasks":[],"sms":0}"#).unwrap();
    let in_file = failure(&format!("test {set} --sms 8"));
    assert!(in_file.starts_with(&format!("{set}:1: at sms: ")), "{in_file}");
}

#[test]
fn hints_name_the_command_that_helps() {
    let folder = tempfile::tempdir().unwrap();
    let hint = |text: &str| {
        let model = folder.path().join("a.amxmi").display().to_string();
        std::fs::write(&model, text).unwrap();
        let message = failure(&format!("test {model} --sms 8"));
        message.split_once("\n\nhint: ").map(|(_, hint)| hint.to_owned())
    };
    let expected = "convert a task model of APP4MC with `gpusched import amalthea`";
    assert_eq!(hint("<xml/>").as_deref(), Some(expected));
    assert_eq!(hint(r#"{"tasks":[{"period":0}]}"#), None);
}

#[test]
fn global_options_are_given_once() {
    let check = |line: &str| {
        let checked = usage::check_once(Cli::command(), &words(line));
        checked.map_err(|error| error.to_string())
    };
    for (line, option) in [
        ("--seed 1 generate --tasks 3 --utilization 1 --seed 2", "seed"),
        ("--threads=1 partition x --threads 2", "threads"),
        ("-q study run x --quiet", "quiet"),
        ("-oa partition x --sms 3 -o b", "output"),
        ("-qoa partition x -q", "quiet"),
        ("--format json study list --format=csv", "format"),
    ] {
        let expected = format!("--{option}: found the option twice, expected the option once");
        assert_eq!(check(line), Err(expected), "{line}");
    }
    for line in [
        "-q test --seed 1 --threads 2 -o x y",
        "partition x -o -1 --threads 2",
        "partition --seed 1 -- --seed 2",
        "plot x --where a=1 --where b=2",
    ] {
        assert_eq!(check(line), Ok(()), "{line}");
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
        ("partition x --export mips", "--export: found mips, expected one of libsmctrl, mps, mps-v3, mig, green-context, csv; did you mean mps?"),
        ("partition x --improve=y", "--improve: found y, expected no value"),
        ("simulate tasks x --gantt y --from 100", "--from: found \"100\", expected a time with its unit such as \"2.5us\" (s, ms, us, ns; whole nanoseconds)"),
        ("simulate tasks x --blocker -1", "--blocker: found -1, expected a whole number, at least 0 and below 2^64"),
        ("partition x --sms 8 --threads 0", "--threads: found 0, expected a whole number from 1 to 1024"),
        ("partition x --time-limit -5ms", "--time-limit: found \"-5ms\", expected a time with its unit such as \"2.5us\" (s, ms, us, ns; whole nanoseconds)"),
        ("generate -o x --seed=a", "--seed: found a, expected a whole number, at least 0 and below 2^64"),
    ];
    let mut command = commands();
    let mut message = |line: &str| told(&mut command, &words(line));
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
    for (line, expected) in [
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
        let answer = run(line);
        assert_eq!(answer.code, 2, "{line}");
        let hint = answer.stderr.lines().find(|line| line.contains("to give"));
        let hint = hint.map(|line| line.trim().trim_start_matches("tip: "));
        assert_eq!(hint, expected, "{line}: {}", answer.stderr);
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
        let said = run(&line.replace("LONG", &long)).stderr;
        assert!(said.contains("yyyy") && said.len() < 500, "{line}: {said}");
    }
}

/// Calls `look` for every option of every command, with the path of the command.
fn look_at(command: &Command, way: &[String], look: &mut impl FnMut(&[String], &Arg)) {
    if !command.has_subcommands() {
        let options = command.get_arguments().filter(|option| !option.is_positional());
        options
            .filter(|option| matches!(option.get_action(), ArgAction::Set | ArgAction::Append))
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
    let (all, mut command) = (commands(), commands());
    let (mut complaints, mut faults) = (0, Vec::new());
    look_at(&all, &["gpusched".to_owned()], &mut |way, option| {
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
                let error = command.try_get_matches_from_mut(&arguments).err();
                let is_complaint = |error: &clap::Error| error.kind() != ErrorKind::MissingRequiredArgument;
                if error.filter(is_complaint).is_none() {
                    // gpusched checks names and paths later. A reference line may be negative.
                    let later = value == "-1" && (TOGETHER.contains(&long) || long == "reference");
                    // A value of --beside is the name of a built-in kernel or a path.
                    let later = later || long == "beside";
                    if !takes_anything(option) && !later {
                        faults.push(format!("{line}\n  taken"));
                    }
                    continue;
                }
                complaints += 1;
                let told = told(&mut command, &arguments).unwrap_or_default();
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
    assert!(complaints > 500, "{complaints}");
}
