//! Every command in every document runs and prints what the document shows, in the order of the document.
//!
//! In a `console` block, a command follows `$ `, and the output of the command follows in the
//! next lines. A line `…` stands for any lines, and `…` within a line for any text. In an `sh`
//! block, every line is a command. Every command must end with exit code 0.

use crate::docs::markdown::chosen_pages;
use crate::support::checkout::Checkout;

/// Starts of commands that the test does not run, because these commands build gpusched or need
/// other programs.
const NOT_OURS: [&str; 10] = [
    "cargo install ",
    "cargo test ",
    "GPUSCHED_TESTS=full cargo test ",
    "cargo check ",
    "cargo bench ",
    "cargo doc ",
    "git clone ",
    "cd ",
    ".ci/run",
    "chromium ",
];

#[test]
fn commands_do_what_the_documents_show() {
    let (mut run, mut failures) = (0, Vec::new());
    for page in chosen_pages() {
        let checkout = Checkout::new();
        for block in &page.blocks {
            if let Some(name) = &block.file {
                std::fs::write(checkout.path(name), &block.text).unwrap();
            }
            let commands = match block.info.as_str() {
                "sh" => plain(&block.text),
                "console" => transcript(&block.text, &block.place),
                _ => continue,
            };
            assert!(!commands.is_empty(), "{}: no command", block.place);
            if block.not_run.is_some() {
                continue;
            }
            for (command, expected) in commands {
                if NOT_OURS.iter().any(|start| command.starts_with(start)) {
                    continue;
                }
                let shown = checkout.sh(&command.replace("cargo run --release -- ", "gpusched "));
                run += 1;
                let matches = expected.as_ref().is_none_or(|expected| {
                    let lines = |text: &str| -> Vec<String> {
                        text.lines().map(|line| without_times(line.trim_end())).collect()
                    };
                    lines_match(&lines(expected), &lines(&shown.text))
                });
                if shown.code != 0 || !matches {
                    failures.push(format!(
                        "{}: $ {command}\nexit code {}, output\n{}",
                        block.place, shown.code, shown.text
                    ));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(
        run >= 30 || std::env::var_os("GPUSCHED_PAGE").is_some(),
        "{run} commands"
    );
}

/// A command, and its output if the document shows the output.
type Shown = (String, Option<String>);

fn plain(text: &str) -> Vec<Shown> {
    let mut commands: Vec<Shown> = Vec::new();
    let mut unfinished = false;
    for line in text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        match commands.last_mut() {
            Some((last, _)) if unfinished => *last += &format!("\n{line}"),
            _ => commands.push((line.to_owned(), None)),
        }
        unfinished = line.ends_with('\\');
    }
    commands
}

fn transcript(text: &str, place: &str) -> Vec<Shown> {
    let mut commands: Vec<(String, String)> = Vec::new();
    let mut unfinished = false;
    for line in text.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            commands.push((command.to_owned(), String::new()));
            unfinished = command.ends_with('\\');
            continue;
        }
        let Some((command, output)) = commands.last_mut() else {
            panic!("{place}: expected `$ command` in the first line");
        };
        if unfinished {
            *command += &format!("\n{line}");
            unfinished = line.ends_with('\\');
        } else {
            *output += line;
            output.push('\n');
        }
    }
    let shown = commands.into_iter();
    shown.map(|(command, output)| (command, Some(output))).collect()
}

/// Returns `line` with `T` in place of each measured time. Measured times are after ` in `, and
/// in the JSON fields for search times.
fn without_times(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    loop {
        let starts = [" in ", "\"search_ns\":", "\"prefill_ns\":"];
        let found = starts
            .iter()
            .filter_map(|start| Some(rest.find(start)? + start.len()))
            .min();
        let Some(at) = found else { return text + rest };
        text += &rest[..at];
        rest = &rest[at..];
        let digits = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let units = ["ns", "us", "ms", "s", ""];
        let unit = units
            .into_iter()
            .find(|unit| digits.starts_with(unit))
            .unwrap_or("");
        let ends = digits[unit.len()..].starts_with([',', '}', ' ']) || digits.len() == unit.len();
        if digits.len() < rest.len() && ends {
            text.push('T');
            rest = &digits[unit.len()..];
        }
    }
}

fn lines_match(expected: &[String], shown: &[String]) -> bool {
    match expected.split_first() {
        None => shown.is_empty(),
        Some((line, later)) if line.trim() == "…" => {
            (0..=shown.len()).any(|skipped| lines_match(later, &shown[skipped..]))
        }
        Some((line, later)) => shown
            .split_first()
            .is_some_and(|(first, rest)| line_matches(line, first) && lines_match(later, rest)),
    }
}

fn line_matches(expected: &str, shown: &str) -> bool {
    match expected.split_once('…') {
        None => expected == shown,
        Some((start, rest)) => shown.strip_prefix(start).is_some_and(|shown| {
            let mut ends = shown.char_indices().map(|(at, _)| at).chain([shown.len()]);
            ends.any(|at| line_matches(rest, &shown[at..]))
        }),
    }
}

#[test]
fn shortened_output_is_compared_honestly() {
    let matches = |expected: &str, shown: &str| {
        let lines = |text: &str| -> Vec<String> { text.lines().map(without_times).collect() };
        lines_match(&lines(expected), &lines(shown))
    };
    assert!(matches("a\n…\nd", "a\nb\nc\nd") && matches("a\n…", "a") && matches("x…z", "xyz"));
    assert!(
        !matches("a\n…\nd", "a\nb") && !matches("a\nb", "a") && !matches("", "a") && !matches("x…z", "xy")
    );
    assert!(matches(
        "done in 5us, 3 left in 1.2s",
        "done in 17.5ms, 3 left in 9s"
    ));
    assert!(!matches("3 sets done in results", "4 sets done in results"));
    assert!(!matches("2 sets in 1ms", "3 sets in 1ms") && !matches("due in 5 parts", "due in parts"));
    assert!(matches("{\"search_ns\":12,\"n\":3}", "{\"search_ns\":9,\"n\":3}"));
    assert!(!matches(
        "{\"search_ns\":12,\"n\":3}",
        "{\"search_ns\":12,\"n\":4}"
    ));
}
