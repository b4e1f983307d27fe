//! Help of all commands, as the command prints it.

use crate::support::run;

/// In options, a time or a rate has a unit. A number without a unit may be in milliseconds or in nanoseconds, so each option
/// refuses it.
#[test]
fn times_and_rates_in_options_have_units() {
    let mut options = 0;
    for help in Help::all() {
        let below = help.name.strip_prefix("gpusched").unwrap();
        for line in help.text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let Some(&[option, value]) = { words.windows(2) }.find(|pair| pair[0].starts_with("--")) else {
                continue;
            };
            let (start, unit) = match value {
                "<TIME>" => ("", "us"),
                "<RATE>" => ("", "GB/s"),
                "<NAME=TIME>" => ("camera=", "us"),
                _ => continue,
            };
            if !line.trim_start().starts_with('-') {
                continue;
            }
            options += 1;
            for number in ["5", "2500", "0"] {
                let refused = run(&format!("{below} {option} {start}{number}"));
                assert_eq!(refused.code, 2, "{below} {option}: {refused:?}");
                let expected = ["with its unit", "such as camera=33ms"];
                assert!(
                    refused.stderr.contains(&format!("error: {option}: "))
                        && expected.iter().any(|text| refused.stderr.contains(text)),
                    "{below} {option}: {}",
                    refused.stderr
                );
            }
            let accepted = run(&format!("{below} {option} {start}5{unit}"));
            assert!(
                !accepted.stderr.contains(&format!("error: {option}: ")),
                "{below} {option}: {}",
                accepted.stderr
            );
        }
    }
    assert!(options >= 15, "{options}");
}

/// Long help of one command.
pub struct Help {
    /// Full name of the command, such as `gpusched wcet fit`.
    pub name: String,
    pub text: String,
    pub has_subcommands: bool,
}

impl Help {
    /// Help of `gpusched` and of all its subcommands.
    pub fn all() -> Vec<Help> {
        let mut all = Vec::new();
        collect("gpusched", &mut all);
        all
    }

    /// Indented lines after `Example:` or `Examples:`. A line that ends in `\` continues in the next line.
    pub fn examples(&self) -> Vec<String> {
        let lines: Vec<&str> = section(&self.text, "Example").map(str::trim).collect();
        let text = lines.join("\n").replace("\\\n", "");
        text.lines().map(str::to_owned).collect()
    }

    /// Long options of the command, without their hyphens. Prose may name options of other commands.
    pub fn options(&self) -> impl Iterator<Item = &str> {
        let lines = self
            .text
            .lines()
            .filter(|line| line.trim_start().starts_with('-'));
        let words = lines.flat_map(|line| line.split(|c: char| !(c.is_alphanumeric() || c == '-')));
        words.filter_map(|word| word.strip_prefix("--").filter(|name| !name.is_empty()))
    }
}

fn collect(name: &str, all: &mut Vec<Help>) {
    let above = name.strip_prefix("gpusched").unwrap();
    let help = run(&format!("{above} --help"));
    assert_eq!(help.code, 0, "{name}");
    let named =
        section(&help.stdout, "Commands:").filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names: Vec<String> = named
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(|below| format!("{name} {below}"))
        .collect();
    all.push(Help {
        name: name.to_owned(),
        has_subcommands: !names.is_empty(),
        text: help.stdout,
    });
    names.iter().for_each(|name| collect(name, all));
}

/// Indented lines after the line that begins with `title`.
fn section<'a>(help: &'a str, title: &str) -> impl Iterator<Item = &'a str> {
    let lines = help.lines().skip_while(move |line| !line.starts_with(title));
    lines.skip(1).take_while(|line| line.starts_with("  "))
}
