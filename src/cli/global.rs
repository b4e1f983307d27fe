//! The flags every subcommand understands.

use std::path::PathBuf;

use clap::ValueEnum;

/// The flags every subcommand understands.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// How results are written [default: by the ending of --output, else text].
    #[arg(long, global = true, value_enum)]
    pub format: Option<Format>,
    /// No progress and no notes on standard error.
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Worker threads [default: all cores]; results do not depend on it.
    #[arg(long, global = true, value_name = "N")]
    pub threads: Option<usize>,
    /// Where results go; `-` is standard output.
    #[arg(long, short, global = true, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// The seed of everything random [default: 1].
    #[arg(long, global = true)]
    pub seed: Option<u64>,
}

/// How results are written.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// One JSON document, or one per line for several task sets.
    Json,
    /// Comma-separated values with a header.
    Csv,
}
