//! Parts of the command that other crates add: subcommands, validations, file formats, hints and metrics of studies.
//!
//! `main.rs` hands the parts over ([`register`]). This crate does not know which parts exist. The second half of the module
//! contains the arguments and forms of output that the crate of a part shares with this crate.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clap::{ArgMatches, Command, FromArgMatches};
use serde::Serialize;

use crate::{Global, Outcome};
use gpusched_model::error::Result;
use gpusched_sim::campaign::Campaign;
use gpusched_study::measures::{self, Entry};

pub use crate::arguments::{named, refused, whole};
pub use crate::complain;
pub use crate::report::profile_columns;
pub use crate::report::{
    Cell, Content, Draft, Growing, Output, OutputPath, Palette, Progress, Report, Rows, Table, TimelineFiles,
    clip, json_document, json_lines, wrap,
};
pub use gpusched_runtime::measure;

/// A part of the command.
#[derive(Debug)]
pub struct Part {
    /// Subcommands of commands that this crate defines.
    pub subcommands: &'static [Subcommands],
    /// Kinds of `gpusched validate`.
    pub validations: &'static [Validation],
    /// File formats of `gpusched schema`.
    pub formats: &'static [Format],
    /// Metrics of studies.
    pub measures: &'static [Entry],
    /// Opens the simulated GPU of `gpusched measure --backend simulated`.
    pub simulated_gpu: Option<SimulatedGpu>,
    /// Pairs of a file ending and a hint, for files that are not JSON.
    pub foreign: &'static [(&'static str, &'static str)],
    /// Pairs of a kind of document and a hint, for a command that does not read this kind.
    pub taken: &'static [(&'static str, &'static str)],
    /// Pairs of the end of a field and a hint, for a field that a parameter requires.
    pub missing: &'static [(&'static str, &'static str)],
}

/// Function that opens a simulated GPU, which runs the samples of a measurement.
pub type SimulatedGpu = fn(&Kernels<'_>, &Global) -> Result<Box<dyn measure::Executor>>;

/// Kernels of a measurement on a simulated GPU.
#[derive(Copy, Clone, Debug)]
pub struct Kernels<'a> {
    /// Simulated GPU: a name or a file.
    pub machine: &'a str,
    /// File of the measured kernel.
    pub measured: &'a Path,
    /// The other kernels.
    pub others: &'a [Other],
}

/// Another kernel of a measurement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Other {
    /// The kernel in this file.
    File(PathBuf),
    /// A kernel of gpusched.
    Load(measure::Load),
}

static PARTS: OnceLock<&[&Part]> = OnceLock::new();

/// Adds `parts` to the command, for the whole process. Only the first call has an effect.
pub fn register(parts: &'static [&'static Part]) {
    if PARTS.set(parts).is_ok() {
        measures::register(parts.iter().flat_map(|part| part.measures));
    }
}

/// Returns the parts that other crates add.
pub(crate) fn parts() -> impl Iterator<Item = &'static Part> {
    PARTS.get().copied().unwrap_or_default().iter().copied()
}

/// Arguments of a subcommand, which can run.
pub trait Run: Debug + Send + Sync {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Fails on bad input, or if output cannot be written.
    fn run(&self, global: &Global) -> Result<Outcome>;
}

/// Subcommands that a part adds to one command.
#[derive(Debug)]
pub struct Subcommands {
    command: &'static str,
    augment: fn(Command) -> Command,
    has: fn(&str) -> bool,
    parse: fn(&mut ArgMatches) -> Result<Box<dyn Run>, clap::Error>,
}

impl Subcommands {
    /// Adds the subcommands `S` to `command`, which must be a command with `Extended` subcommands.
    pub const fn of<S: clap::Subcommand + Run + 'static>(command: &'static str) -> Subcommands {
        Subcommands {
            command,
            augment: S::augment_subcommands,
            has: S::has_subcommand,
            parse: |matches| Ok(Box::new(S::from_arg_matches_mut(matches)?)),
        }
    }
}

/// Subcommands to which parts add others.
pub(crate) trait Family: clap::Subcommand + Run {
    /// Name of the command with these subcommands.
    const NAME: &'static str;

    /// Returns the subcommands that parts add.
    fn added() -> impl Iterator<Item = &'static Subcommands> {
        let all = parts().flat_map(|part| part.subcommands);
        all.filter(|added| added.command == Self::NAME)
    }
}

/// One of the subcommands `F`, or a subcommand of a part. The help lists all subcommands by name.
#[derive(Debug)]
pub(crate) enum Extended<F> {
    Own(F),
    Added(Box<dyn Run>),
}

impl<F: Family> Run for Extended<F> {
    fn run(&self, global: &Global) -> Result<Outcome> {
        match self {
            Extended::Own(command) => command.run(global),
            Extended::Added(command) => command.run(global),
        }
    }
}

impl<F: Family> clap::Subcommand for Extended<F> {
    fn augment_subcommands(command: Command) -> Command {
        let own = F::augment_subcommands(Command::new(F::NAME));
        let all = F::added().fold(own, |all, added| (added.augment)(all));
        let mut all: Vec<Command> = all.get_subcommands().cloned().collect();
        all.sort_by(|a, b| a.get_name().cmp(b.get_name()));
        let placed = (0..).zip(all).map(|(place, one)| one.display_order(place));
        command.subcommands(placed)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        F::has_subcommand(name) || F::added().any(|added| (added.has)(name))
    }
}

impl<F: Family> FromArgMatches for Extended<F> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Self::from_arg_matches_mut(&mut matches.clone())
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, clap::Error> {
        let name = matches.subcommand_name().unwrap_or_default();
        match F::added().find(|added| (added.has)(name)) {
            Some(added) => (added.parse)(matches).map(Extended::Added),
            None => F::from_arg_matches_mut(matches).map(Extended::Own),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Arguments of `gpusched validate` that all kinds of validation share.
#[derive(Copy, Clone, Debug)]
pub struct Common<'a> {
    /// Number of random systems.
    pub systems: u64,
    /// File for the smallest counterexample.
    pub reproducer: &'a OutputPath,
    /// File that stores the progress.
    pub checkpoint: Option<&'a Path>,
}

impl Common<'_> {
    /// Runs `campaign` on the threads of `global`, and shows its progress.
    ///
    /// # Errors
    /// Fails in the same cases as [`Campaign::run`].
    pub fn run<C: Campaign>(&self, campaign: &C, global: &Global) -> Result<C::Report> {
        let bar = Progress::of(global, self.systems, "systems");
        let run = || campaign.run(self.checkpoint, |systems| bar.advance(systems));
        global.pool()?.install(run)
    }

    /// Writes `found`, the smallest counterexample, to its file.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn write(&self, output: &mut Output, found: Option<&impl Serialize>) -> Result<()> {
        let Some(found) = found else { return Ok(()) };
        let file = output.beside(Some(self.reproducer))?;
        let found = json_lines([found])?;
        file.map_or(Ok(()), |file| output.complete(file, found))
    }
}

/// Arguments of a kind of validation.
pub trait Validate: Debug + Send + Sync {
    /// Whether the arguments select this kind.
    fn is_chosen(&self) -> bool;

    /// Runs the validation.
    ///
    /// # Errors
    /// Fails on bad input, for a checkpoint of another validation, or if output cannot be written.
    fn run(&self, common: Common<'_>, global: &Global) -> Result<Outcome>;
}

/// A kind of `gpusched validate` that a part adds.
#[derive(Debug)]
pub struct Validation {
    /// Further reason for exit code 1, as the end of a sentence of the help.
    pub negative: &'static str,
    /// Examples of the help, one per line.
    pub examples: &'static str,
    augment: fn(Command) -> Command,
    parse: fn(&mut ArgMatches) -> Result<Box<dyn Validate>, clap::Error>,
}

impl Validation {
    /// Adds the kind of validation with the arguments `A`.
    pub const fn of<A: clap::Args + Validate + 'static>(
        negative: &'static str,
        examples: &'static str,
    ) -> Validation {
        Validation {
            negative,
            examples,
            augment: A::augment_args,
            parse: |matches| Ok(Box::new(A::from_arg_matches_mut(matches)?)),
        }
    }
}

/// The arguments of all kinds of validation that parts add.
#[derive(Debug)]
pub(crate) struct Validations(Vec<Box<dyn Validate>>);

impl Validations {
    /// Returns the kind that the arguments select, or `None` for a kind of this crate.
    pub fn chosen(&self) -> Option<&dyn Validate> {
        let chosen = self.0.iter().find(|validation| validation.is_chosen());
        chosen.map(AsRef::as_ref)
    }

    /// Returns the kinds that parts add.
    pub fn all() -> impl Iterator<Item = &'static Validation> {
        parts().flat_map(|part| part.validations)
    }
}

impl clap::Args for Validations {
    fn augment_args(command: Command) -> Command {
        Validations::all().fold(command, |command, added| (added.augment)(command))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Validations {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Self::from_arg_matches_mut(&mut matches.clone())
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, clap::Error> {
        let all = Validations::all().map(|added| (added.parse)(matches));
        all.collect::<Result<Vec<_>, _>>().map(Validations)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// A file format that a part adds to `gpusched schema`.
#[derive(Debug)]
pub struct Format {
    /// Name of the format that comes before this format in the list.
    pub after: &'static str,
    /// Name of the format.
    pub name: &'static str,
    /// Files that have the format.
    pub description: &'static str,
    /// JSON schema.
    pub schema: &'static str,
}
