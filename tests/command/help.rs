//! Help of all commands, as the command prints it.

use crate::support::run;

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
