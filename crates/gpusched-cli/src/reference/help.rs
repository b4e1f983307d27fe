//! Layout of the help of all commands. The short help (`-h`) fits on one screen. The long help
//! (`--help`) adds values and details.
//!
//! By default, the long help of clap uses three or more lines per option. In gpusched, the short and the long help use
//! one line per option. The long help has separate sections for the values of options and for the details of options.
//! The details are the further paragraphs of the doc comments.

use std::ffi::OsString;

use clap::builder::{Resettable, StyledStr};
use clap::{Arg, ArgAction, Command};

/// Heading of the options that `-h` omits.
pub const TUNING: &str = "Tuning";

/// Maximum length of a line [characters].
const WIDE: usize = 100;

/// Maximum length of a list of values in the line of an option [characters]. A longer list
/// appears only in a section of the long help.
const FEW: usize = 44;

/// Text in the help of a subcommand, instead of the list of global options.
const GLOBAL: &str =
    "Global options: --format, --output, --quiet, --seed, --threads (explained by `gpusched -h`)";

/// Returns `root` with the short or the long help that `arguments` request. The help of all subcommands has the same
/// form.
pub fn compact(root: Command, arguments: &[OsString]) -> Command {
    let long = arguments
        .iter()
        .any(|argument| argument == "--help" || argument == "help");
    let root = root.mut_subcommands(|command| subcommand(command, long));
    let mut root = laid_out(root, "", long);
    root.build(); // gives arguments a text form, and subcommands the global options
    filled_in(root.mut_subcommands(without_global))
}

fn subcommand(command: Command, long: bool) -> Command {
    laid_out(
        command.mut_subcommands(|command| subcommand(command, long)),
        GLOBAL,
        long,
    )
}

/// Returns `command` with one paragraph of help for each option. The text `global` precedes the text at the end. The
/// function removes the long help of all options, because clap would otherwise print each option on several lines.
fn laid_out(command: Command, global: &str, long: bool) -> Command {
    let args: Vec<Arg> = command.get_arguments().cloned().collect();
    let end = command.get_after_help().map(ToString::to_string);
    let sections = match long {
        true => vec![values(&args), details(&args), global.to_owned()],
        false => vec![global.to_owned()],
    };
    let sections = sections.into_iter().chain(end).filter(|text| !text.is_empty());
    let sections: Vec<String> = sections.collect();
    let about = command
        .get_long_about()
        .or(command.get_about())
        .filter(|_| long)
        .cloned();
    let command = match about {
        Some(about) => command.about(about),
        None => command,
    };
    command
        .mut_args(|arg| match !long && arg.get_help_heading() == Some(TUNING) {
            true => paragraph(arg).hide(true),
            false => paragraph(arg),
        })
        .long_about(Resettable::<StyledStr>::Reset)
        .after_help(sections.join("\n\n"))
}

/// Hides the global options in the help of a subcommand.
fn without_global(command: Command) -> Command {
    let command = command.mut_subcommands(without_global);
    command.mut_args(|arg| match arg.is_global_set() {
        true => arg.hide(true),
        false => arg,
    })
}

/// Wraps the help of the options of `command`. Call this function after `Command::build`, which gives arguments their
/// text forms.
fn filled_in(command: Command) -> Command {
    let command = command.mut_subcommands(filled_in);
    let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let widths: Vec<(Option<String>, usize)> = shown
        .map(|arg| (arg.get_help_heading().map(str::to_owned), width(arg)))
        .collect();
    command.mut_args(|arg| {
        let section = |other: &&(Option<String>, usize)| {
            other.0.as_deref() == arg.get_help_heading() && (other.1 > 0) == (width(&arg) > 0)
        };
        let widest = widths.iter().filter(section).map(|(_, width)| *width).max();
        let text = match arg.get_id() == "help" {
            true => "Print help (`--help`: with all values and details)".to_owned(),
            false => arg.get_help().map(ToString::to_string).unwrap_or_default(),
        };
        arg.help(filled(
            &text,
            WIDE.saturating_sub(10 + widest.unwrap_or_default()),
            "",
        ))
    })
}

/// Returns the number of characters of the text form of an option, without two hyphens.
fn width(arg: &Arg) -> usize {
    arg.to_string().chars().count().saturating_sub(2)
}

/// Returns `arg` with one paragraph of help that includes the default and the values.
fn paragraph(arg: Arg) -> Arg {
    let mut text = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let defaults: Vec<_> = arg
        .get_default_values()
        .iter()
        .map(|value| value.to_string_lossy())
        .collect();
    if takes_value(&arg) && !defaults.is_empty() {
        text += &format!(" [default: {}]", defaults.join(","));
    }
    let names = names(&arg);
    if names.join(", ").chars().count() > FEW {
        text += &format!(" ({} values: see --help)", names.len());
    } else if !names.is_empty() {
        let marks = names.iter().map(|name| format!(" [default: {name}]"));
        let default = { marks.zip(&names) }.find(|(mark, _)| text.contains(mark.as_str()));
        let list: Vec<String> = match default {
            Some((mark, default)) => {
                text = text.replace(&mark, "");
                { names.iter() }
                    .map(|name| {
                        if name == default {
                            format!("{name} (default)")
                        } else {
                            name.clone()
                        }
                    })
                    .collect()
            }
            None => names,
        };
        text += &format!(": {}", list.join(", "));
    }
    let has_value = takes_value(&arg); // clap rejects these settings for a flag in debug builds
    arg.help(text)
        .long_help(Resettable::<StyledStr>::Reset)
        .hide_possible_values(has_value)
        .hide_default_value(has_value)
}

fn takes_value(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Set | ArgAction::Append)
}

/// Returns the names of the values of `arg`. The list is empty if `arg` accepts any text.
fn names(arg: &Arg) -> Vec<String> {
    let values = match takes_value(arg) {
        true => arg.get_possible_values(),
        false => Vec::new(),
    };
    values.iter().map(|value| value.get_name().to_owned()).collect()
}

/// Returns one section of values for each option in `shown`, if the option has a long list of values and no details.
fn values(shown: &[Arg]) -> String {
    let sections: Vec<String> = shown.iter().filter_map(section).collect();
    sections.join("\n\n")
}

fn section(arg: &Arg) -> Option<String> {
    let names = names(arg);
    if names.join(", ").chars().count() <= FEW || further(arg).is_some() {
        return None;
    }
    let widest = names.iter().map(String::len).max().unwrap_or_default();
    let mut text = format!("Values of {}:", name(arg));
    for value in arg.get_possible_values() {
        let help = value.get_help().map(ToString::to_string).unwrap_or_default();
        let help = filled(&help, WIDE - widest - 4, &" ".repeat(widest + 4));
        text += &format!("\n  {:widest$}  {help}", value.get_name());
    }
    Some(text)
}

/// Returns the section with the details of all options in `shown`.
fn details(shown: &[Arg]) -> String {
    let paragraphs = shown.iter().filter_map(|arg| {
        let text = format!("{}: {}", name(arg), further(arg)?);
        let text = filled(&text, WIDE - 4, "    ");
        Some(format!("\n  {text}"))
    });
    let paragraphs: String = paragraphs.collect();
    match paragraphs.is_empty() {
        true => paragraphs,
        false => format!("Details:{paragraphs}"),
    }
}

/// Returns the details of `arg`: its long help after the first paragraph.
fn further(arg: &Arg) -> Option<String> {
    let long = arg.get_long_help()?.to_string();
    long.split_once("\n\n").map(|(_, further)| further.to_owned())
}

fn name(arg: &Arg) -> String {
    arg.get_long()
        .map_or_else(|| arg.to_string(), |long| format!("--{long}"))
}

/// Returns `text` wrapped to lines of at most `width` characters. A longer word has its own line.
/// Each line after the first line starts with `indent`.
fn filled(text: &str, width: usize, indent: &str) -> String {
    let (mut filled, mut line) = (String::new(), 0);
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if line > 0 && line + 1 + length > width {
            filled += &format!("\n{indent}");
            line = 0;
        } else if line > 0 {
            filled.push(' ');
            line += 1;
        }
        filled += word;
        line += length;
    }
    filled
}
