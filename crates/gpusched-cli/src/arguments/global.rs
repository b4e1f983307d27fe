//! Options of all subcommands.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;

use clap::parser::ValueSource;
use clap::{ArgMatches, Command, ValueHint};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::arguments::{named, whole};
use crate::complain;
use crate::embedding::{self, Capture};
use crate::report::{Columns, Content, OutputPath};
use gpusched_model::Device;
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::identity::{Identified, Identity};

/// Options of all subcommands.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Format of results [default: from the file ending of --output, otherwise text]
    #[arg(long, global = true, value_parser = named::<Format>())]
    pub format: Option<Format>,
    /// Omit the progress bar, the notes, and the assumptions in text results
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Number of worker threads; results do not depend on it [default: all cores]
    #[arg(long, global = true, value_name = "N", value_parser = whole(1..=MOST_THREADS))]
    pub threads: Option<usize>,
    /// File for results; `-` is standard output
    #[arg(long, short, global = true, value_name = "PATH", value_parser = OutputPath::of(Content::Answer),
        value_hint = ValueHint::AnyPath)]
    pub output: Option<OutputPath>,
    /// Seed of all random numbers [default: 1]
    #[arg(long, global = true, value_parser = whole::<u64>(0..))]
    pub seed: Option<u64>,
    /// Options that the user stated, by their long names.
    #[arg(skip)]
    pub stated: BTreeMap<String, String>,
}

/// Format of results.
#[derive(Copy, Clone, PartialEq, Eq, Debug, strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Format {
    /// Plain text with tables.
    Text,
    /// JSON. Several task sets give one document per line.
    Json,
    /// Comma-separated values with a header.
    Csv,
}

/// Upper limit of `--threads`. The limit bounds the memory for the stacks of the threads.
const MOST_THREADS: usize = 1024;

impl Global {
    /// Returns the requested format. Without `--format`, the ending of the output file determines the format. If the
    /// ending belongs to no format, gpusched writes text.
    pub fn format(&self) -> Format {
        self.format.unwrap_or_else(|| match self.ending().as_deref() {
            Some("json" | "jsonl") => Format::Json,
            Some("csv") => Format::Csv,
            _ if self.file().and_then(Columns::of).is_some() => Format::Csv,
            _ => Format::Text,
        })
    }

    /// Refuses a format that a command without another result than task sets cannot write.
    ///
    /// # Errors
    /// Fails if the requested format is text.
    pub fn check_task_sets(&self) -> Result<()> {
        match self.format {
            Some(format @ Format::Text) => {
                let expected = "json or csv, because task sets are JSONL or a CSV table";
                Err(Error::parameter("format", format, expected))
            }
            _ => Ok(()),
        }
    }

    /// Returns the ending of the name of the output file, in lower case.
    fn ending(&self) -> Option<String> {
        let ending = self.file()?.extension()?.to_str()?;
        Some(ending.to_ascii_lowercase())
    }

    /// Checks that the name of the output file is suitable for a result.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] for a folder, and for a file ending that belongs to a figure or to a web page.
    pub fn check_answer(&self) -> Result<()> {
        let Some(path) = self.file() else { return Ok(()) };
        let is_folder = path.is_dir() || path.to_string_lossy().ends_with('/');
        let promises = match self.ending().as_deref() {
            _ if is_folder => "a folder",
            Some("svg" | "png" | "pdf") => "a figure",
            Some("html" | "htm") => "a web page",
            _ => return Ok(()),
        };
        let found = format!("{}, the name of {promises}", path.display());
        Err(Error::parameter(
            "output",
            found,
            "a name that ends in .json, .csv or .txt",
        ))
    }

    /// Checks that `--format` is absent or JSON.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] for CSV and text. The message contains the text `expected`.
    pub fn only_json(&self, expected: &str) -> Result<()> {
        match self.format {
            None | Some(Format::Json) => Ok(()),
            Some(_) => Err(Error::parameter("format", "a format other than json", expected)),
        }
    }

    /// Returns the identity of a result for `input` on `device`, with the options that the user stated. With `alone` = false, the
    /// identity is short, because the command has several results.
    pub fn identity(&self, input: &impl Identified, device: Option<&Device>, alone: bool) -> Identity {
        Identity::new(input, device, &self.stated, alone)
    }

    /// Writes a note to standard error, but not with `--quiet`.
    pub fn note(&self, note: impl Display) {
        if !self.quiet {
            complain(&format!("note: {note}"));
        }
    }

    /// Writes an assumption of an import to standard error, also with `--quiet`: the result does not contain the assumption.
    pub fn assumption(assumption: impl Display) {
        complain(&format!("note: assumption, unsafe if violated: {assumption}"));
    }

    /// Returns the options for a command whose `--output` is a folder. The result goes to standard output.
    pub fn to_stdout(&self) -> Global {
        Global {
            output: None,
            ..self.clone()
        }
    }

    /// Returns the output file; `None` for standard output.
    pub fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| *path != Path::new("-"))
    }

    /// Returns the width of the terminal in columns; `None` if results are not written to a terminal.
    pub fn width(&self) -> Option<usize> {
        let (_, columns) = console::Term::stdout().size_checked()?;
        (self.file().is_none() && !embedding::is_active()).then_some(columns.into())
    }

    /// Returns the seed of all random numbers.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }

    /// Creates the pool of worker threads.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if the operating system cannot create this number of threads.
    pub fn pool(&self) -> Result<ThreadPool> {
        let call = embedding::current();
        ThreadPoolBuilder::new()
            .num_threads(self.threads.unwrap_or(0))
            .start_handler(move |_| call.clone().into_iter().for_each(Capture::join))
            .build()
            .map_err(|error| Refusal::told("threads", error).into())
    }
}

/// Options of all commands that do not change a result.
const NEUTRAL: [&str; 4] = ["format", "quiet", "threads", "output"];

/// Returns the options of the command line by their long names, with their values as the user stated them. Options without a value
/// have an empty value. Names of output files are left out, because they do not change a result.
pub fn stated(command: &Command, matches: &ArgMatches) -> BTreeMap<String, String> {
    let (mut command, mut matches) = (command, matches);
    while let Some((name, inner)) = matches.subcommand() {
        matches = inner;
        command = command.find_subcommand(name).unwrap_or(command);
    }
    let mut found = BTreeMap::new();
    for argument in command.get_arguments() {
        let id = argument.get_id().as_str();
        let Some(long) = argument.get_long().filter(|long| !NEUTRAL.contains(long)) else {
            continue;
        };
        let is_stated = matches.try_contains_id(id).unwrap_or(false)
            && matches.value_source(id) == Some(ValueSource::CommandLine);
        let is_output = matches!(matches.try_get_many::<OutputPath>(id), Ok(Some(_)));
        if is_stated && !is_output {
            let values = matches.get_raw(id).into_iter().flatten();
            let values: Vec<String> = values
                .map(|value| without_folder(&value.to_string_lossy()))
                .collect();
            let is_flag = !argument.get_action().takes_values();
            found.insert(
                long.to_owned(),
                if is_flag { String::new() } else { values.join(",") },
            );
        }
    }
    found
}

/// Returns the name of a file without its folder, because results must not depend on folders of the machine. Other values, such as
/// `100GB/s`, stay as they are.
fn without_folder(value: &str) -> String {
    match value.rsplit_once(['/', '\\']) {
        Some((_, name)) if name.contains('.') => name.to_owned(),
        _ => value.to_owned(),
    }
}
