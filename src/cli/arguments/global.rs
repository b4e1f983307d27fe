//! The flags every subcommand understands.

use std::path::Path;

use clap::ValueHint;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::cli::arguments::{named, whole};
use crate::cli::report::{Content, OutputPath};
use crate::error::{Error, Refusal, Result};

/// The flags every subcommand understands.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// How results are written [default: by the ending of --output, else text].
    #[arg(long, global = true, value_parser = named::<Format>())]
    pub format: Option<Format>,
    /// No progress, no notes on standard error, and no assumptions in text.
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Worker threads [default: all cores]; results do not depend on it.
    #[arg(long, global = true, value_name = "N", value_parser = whole(1..=MOST_THREADS))]
    pub threads: Option<usize>,
    /// Where results go; `-` is standard output.
    #[arg(long, short, global = true, value_name = "PATH", value_parser = OutputPath::of(Content::Answer),
        value_hint = ValueHint::AnyPath)]
    pub output: Option<OutputPath>,
    /// The seed of everything random [default: 1].
    #[arg(long, global = true, value_parser = whole::<u64>(0..))]
    pub seed: Option<u64>,
}

/// How results are written.
#[derive(Copy, Clone, PartialEq, Eq, Debug, strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Format {
    /// For people.
    Text,
    /// One JSON document, or one per line for several task sets.
    Json,
    /// Comma-separated values with a header.
    Csv,
}

/// More threads than any machine has cores; each needs a stack.
const MOST_THREADS: usize = 1024;

impl Global {
    /// The format asked for, else the one the ending of the output file stands for, else text.
    pub fn format(&self) -> Format {
        self.format
            .unwrap_or_else(|| match self.file().and_then(|path| path.extension()?.to_str()) {
                Some("json" | "jsonl") => Format::Json,
                Some("csv") => Format::Csv,
                _ => Format::Text,
            })
    }

    /// Refuses a format that was asked for and is not JSON, the only one there is.
    ///
    /// # Errors
    /// [`Error::Refused`] for it, with what is `expected` instead.
    pub fn only_json(&self, expected: &str) -> Result<()> {
        match self.format {
            None | Some(Format::Json) => Ok(()),
            Some(_) => Err(Error::parameter("format", "another than json", expected)),
        }
    }

    /// The file results go to; `None` is standard output.
    pub fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| *path != Path::new("-"))
    }

    /// The seed of everything random.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }

    /// The worker threads.
    ///
    /// # Errors
    /// [`Error::Refused`] if the system does not grant that many.
    pub fn pool(&self) -> Result<ThreadPool> {
        ThreadPoolBuilder::new()
            .num_threads(self.threads.unwrap_or(0))
            .build()
            .map_err(|error| Refusal::told("threads", error).into())
    }
}
