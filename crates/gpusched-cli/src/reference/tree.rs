//! The tree of commands and options as data. Programs in other languages use it to offer the commands.

use std::any::TypeId;
use std::path::PathBuf;

use clap::{Arg, ArgAction, Command, CommandFactory as _};
use serde::Serialize;

use crate::Cli;
use crate::report::{OutputPath, json_document};
use gpusched_model::error::Result;

/// A command. A command without subcommands can be run.
#[derive(Serialize)]
struct Node {
    name: String,
    about: String,
    arguments: Vec<Argument>,
    commands: Vec<Node>,
}

/// An option or a positional argument.
#[derive(Serialize)]
struct Argument {
    /// Long name of the option. Absent for a positional argument.
    option: Option<String>,
    /// Name of the value, such as `SET`.
    value: String,
    r#type: &'static str,
    /// Possible values with their descriptions. Empty if there is no such list.
    values: Vec<(String, String)>,
    required: bool,
    /// Whether the argument can appear several times.
    repeated: bool,
    /// Whether all commands have the option.
    global: bool,
    help: String,
}

/// Returns the tree of commands and options as JSON.
///
/// # Errors
/// Never fails, because all names and texts have a JSON form.
pub fn json() -> Result<String> {
    let mut root = Cli::command();
    root.build();
    json_document(&node(&root))
}

fn node(command: &Command) -> Node {
    let shown = |argument: &&Arg| !argument.is_hide_set() && !is_help(argument);
    let inner = command
        .get_subcommands()
        .filter(|inner| inner.get_name() != "help");
    Node {
        name: command.get_name().to_owned(),
        about: text(command.get_long_about().or(command.get_about())),
        arguments: command.get_arguments().filter(shown).map(argument).collect(),
        commands: inner.map(node).collect(),
    }
}

fn is_help(argument: &Arg) -> bool {
    matches!(
        argument.get_action(),
        ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version
    )
}

fn argument(argument: &Arg) -> Argument {
    let names = argument.get_value_names().unwrap_or_default();
    let is_many = argument
        .get_num_args()
        .is_some_and(|range| range.max_values() > 1);
    let values = argument.get_possible_values();
    let is_flag = !argument.get_action().takes_values();
    Argument {
        option: argument.get_long().map(str::to_owned),
        value: names.first().map_or(String::new(), ToString::to_string),
        r#type: if is_flag { "flag" } else { type_of(argument) },
        values: if is_flag {
            Vec::new()
        } else {
            values
                .iter()
                .map(|value| (value.get_name().to_owned(), text(value.get_help())))
                .collect()
        },
        required: argument.is_required_set(),
        repeated: is_many || matches!(argument.get_action(), ArgAction::Append),
        global: argument.is_global_set(),
        help: text(argument.get_long_help().or(argument.get_help())),
    }
}

/// Returns the type of the value. The type `text` stands for every type without a name of its own.
fn type_of(argument: &Arg) -> &'static str {
    let parser = argument.get_value_parser().type_id();
    let known = [
        (TypeId::of::<u8>(), "integer"),
        (TypeId::of::<u32>(), "integer"),
        (TypeId::of::<u64>(), "integer"),
        (TypeId::of::<usize>(), "integer"),
        (TypeId::of::<f64>(), "number"),
        (TypeId::of::<PathBuf>(), "input"),
        (TypeId::of::<OutputPath>(), "output"),
    ];
    let found = known.iter().find(|(known, _)| parser == *known);
    found.map_or("text", |(_, name)| name)
}

fn text(text: Option<impl ToString>) -> String {
    text.map_or(String::new(), |text| text.to_string())
}
