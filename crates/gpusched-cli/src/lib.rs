//! The command line: one file per subcommand, in a folder per topic. A subcommand parses arguments, calls the library and renders
//! the result.
//!
//! Exit codes: 0 success or schedulable, 1 unschedulable or a claim not met, 2 bad input or usage, 3 internal error,
//! 141 output closed early. A program that reads the output, such as `head`, may close standard output before gpusched
//! has written all results. A closed output is not an error. In this case, the exit code is 1 if at least one result so
//! far is negative, and 141 if all results so far are positive.

mod arguments;
pub mod embedding;
mod experiments;
mod formats;
mod kernels;
mod other_tools;
pub mod part;
mod plans;
mod reference;
mod refusals;
mod report;
mod simulations;

use arguments::seed;
pub use arguments::{Format, Global};
use experiments::{plot, study};
use kernels::{budget, measure, predict, wcet};
use other_tools::{import, recording};
use part::Extended;
pub(crate) use part::Run;
use plans::{export, generate, pages, partition, show, test, verify, what_if};
#[cfg(feature = "schema")]
pub use reference::schema::types::TYPES as SCHEMAS;
pub use reference::tree;
use reference::{completions, gpus, help, man, schema};
use refusals::overwriting;
pub use refusals::usage;
pub use report::OutputPath;
pub use simulations::validate::reproducer;
use simulations::{simulate, validate};

use std::ffi::OsString;
use std::io::Write as _;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use gpusched_model::error::{Error, Result, one_line};
use gpusched_model::reader::{Listener, listen};
use gpusched_study::own;

/// Real-time schedulability analysis for GPUs.
#[derive(Debug, Parser)]
#[command(name = "gpusched", version, max_term_width = 100, after_help = EXAMPLE)]
pub struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

const EXAMPLE: &str = "\
Exit codes: 0 success or schedulable, 1 unschedulable or a claim not met, 2 bad input or usage, 3 internal error,
141 output closed early (e.g., by `head`) without a result that calls for exit code 1

Examples:
  gpusched partition tasksets/tasksets/adas.json --gpu orin
  gpusched test tasksets/tasksets/adas.json --gpu rtx2060
  gpusched generate --tasks 10 --utilization 4 --count 20 | gpusched partition - --sms 44
  gpusched partition --help";

#[derive(Debug, Subcommand)]
enum Command {
    /// Generate random task sets.
    Generate(generate::Args),
    /// Test whether tasks meet their deadlines in one partition of the GPU.
    Test(test::Args),
    /// Divide the SMs of a GPU among the tasks.
    Partition(partition::Args),
    /// Check plans and their evidence with separate code.
    Verify(verify::Args),
    /// State in words what a file is, and how to check it.
    Show(show::Args),
    /// Show what a change of the GPU, the tasks or the WCETs does to a plan.
    WhatIf(what_if::Args),
    /// Export a plan for tools that divide a GPU, or a task set for other tools.
    Export(export::Args),
    /// Run a plan on a GPU or in virtual time.
    Run(plans::run::Args),
    /// Measure kernels, and the overheads of dispatchers, on a GPU or a simulated GPU.
    #[command(subcommand)]
    Measure(measure::Command),
    /// Bound the execution time of kernels.
    #[command(subcommand)]
    Wcet(wcet::Command),
    /// Compute and simulate memory bandwidth budgets of best-effort cores.
    #[command(subcommand)]
    Budget(budget::Command),
    /// Predict the execution times of concurrent kernels.
    Predict(predict::Args),
    /// Simulate tasks, thread blocks and warps.
    #[command(subcommand)]
    Simulate(Extended<simulate::Command>),
    /// Compare analysis and simulation over random systems.
    Validate(validate::Args),
    /// Read recordings of profilers.
    #[command(subcommand)]
    Recording(recording::Command),
    /// Convert or summarize the files of other tools.
    #[command(subcommand)]
    Import(Extended<import::Command>),
    /// List the built-in GPUs with their partition rules and sources.
    Gpus(gpus::Args),
    /// Run experiments, and check published claims against the results.
    #[command(subcommand)]
    Study(study::Command),
    /// Draw results as a figure.
    Plot(plot::Args),
    /// Write a web page about a plan, a system, a study or a recording.
    Report(pages::Args),
    /// Print the JSON schema of a file format.
    Schema(schema::Args),
    /// Print a completion script for a shell.
    Completions(completions::Args),
    /// Print the manual page of a command, or write all manual pages to a folder.
    Man(man::Args),
}

/// Result of a command without errors, for the exit code.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Success or schedulable: exit code 0.
    Positive,
    /// Unschedulable, or a claim not met: exit code 1.
    Negative,
    /// The reader closed the output before gpusched had written all results, and no result so far
    /// is negative. The exit code is 141, as after SIGPIPE.
    Unread,
}

impl From<bool> for Outcome {
    /// Returns the outcome of a complete result.
    fn from(positive: bool) -> Outcome {
        if positive {
            Outcome::Positive
        } else {
            Outcome::Negative
        }
    }
}

impl Outcome {
    /// Combines several results. `positive` states that all results so far are positive. `whole`
    /// states that gpusched has written all results.
    pub fn of_answers(positive: bool, whole: bool) -> Outcome {
        match (positive, whole) {
            (false, _) => Outcome::Negative,
            (true, true) => Outcome::Positive,
            (true, false) => Outcome::Unread,
        }
    }
}

/// Reason why a command ends without a result.
pub enum Stop {
    /// The command failed.
    Failed(Error),
    /// A message of clap: help, the version, or an error in the arguments.
    Said(clap::Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Failed(error)
    }
}

/// Runs the command with `arguments`, which start with the name of the program, in this process. Writes to standard output
/// and standard error, and returns the exit code.
pub fn main(arguments: &[OsString]) -> u8 {
    panic::set_hook(Box::new(report_panic));
    exit_code(|| answer(arguments))
}

/// Parses `arguments` and runs the command.
fn answer(arguments: &[OsString]) -> Result<Outcome, Stop> {
    let (known, matches) = parsed(arguments)?;
    if usage::may_repeat(&matches, arguments) {
        usage::check_once(usage::prepared(Cli::command()), arguments)?;
    }
    let Cli { mut global, command } = Cli::from_arg_matches(&matches).map_err(Stop::Said)?;
    global.stated = arguments::stated(&known, &matches);
    listen((!global.quiet).then_some(complain as Listener));
    let answer = overwriting::check(&known, &matches).and_then(|()| {
        seed::note(&matches, &global);
        run(command, &global)
    });
    Ok(answer.map_err(|error| refusals::explained(&known, &matches, error))?)
}

/// Returns the whole command, and the values of its options in `arguments`. Layout of the help takes most of the start, so
/// only arguments that clap rejects, such as `--help`, are parsed again with the help and the messages of gpusched.
fn parsed(arguments: &[OsString]) -> Result<(clap::Command, clap::ArgMatches), Stop> {
    let mut plain = Cli::command();
    if let Ok(matches) = plain.try_get_matches_from_mut(arguments) {
        return Ok((plain, matches));
    }
    let mut known = help::compact(usage::prepared(Cli::command()), arguments);
    let matches = known
        .try_get_matches_from_mut(arguments)
        .map_err(|error| usage::refusal(&mut known, arguments, error))?;
    Ok((known, matches))
}

fn run(command: Command, global: &Global) -> Result<Outcome> {
    match command {
        Command::Generate(args) => args.run(global),
        Command::Test(args) => args.run(global),
        Command::Partition(args) => args.run(global),
        Command::Verify(args) => args.run(global),
        Command::Show(args) => args.run(global),
        Command::WhatIf(args) => args.run(global),
        Command::Export(args) => args.run(global),
        Command::Run(args) => args.run(global),
        Command::Measure(args) => args.run(global),
        Command::Wcet(args) => args.run(global),
        Command::Budget(args) => args.run(global),
        Command::Predict(args) => args.run(global),
        Command::Simulate(args) => args.run(global),
        Command::Validate(args) => args.run(global),
        Command::Recording(args) => args.run(global),
        Command::Import(args) => args.run(global),
        Command::Gpus(args) => args.run(global),
        Command::Study(args) => args.run(global),
        Command::Plot(args) => args.run(global),
        Command::Report(args) => args.run(global),
        Command::Schema(args) => args.run(global),
        Command::Completions(args) => args.run(global),
        Command::Man(args) => args.run(global),
    }
}

/// Runs `command` and returns its exit code. Writes a message on standard error if the command has no result.
pub fn exit_code(command: impl FnOnce() -> Result<Outcome, Stop>) -> u8 {
    match panic::catch_unwind(AssertUnwindSafe(command)) {
        Ok(Ok(Outcome::Positive)) => 0,
        Ok(Ok(Outcome::Negative)) => 1,
        Ok(Ok(Outcome::Unread)) => 141,
        Ok(Err(Stop::Said(message))) => {
            let _ = message.print(); // ignores a closed stream
            message.exit_code().try_into().unwrap_or(2)
        }
        Ok(Err(Stop::Failed(error))) => {
            let _ = writeln!(anstream::stderr(), "error: {error}"); // one line, and possibly a hint
            if matches!(error, Error::Internal(_)) { 3 } else { 2 }
        }
        Err(_) => 3, // the panic hook reported it
    }
}

/// Writes one line about the first panic, except in an algorithm of the user, whose error contains the message. Later panics of other
/// worker threads add no line.
fn report_panic(panic: &PanicHookInfo<'_>) {
    static REPORTED: AtomicBool = AtomicBool::new(false);
    if own::takes_panic(&panic.to_string()) {
        return;
    }
    if !REPORTED.swap(true, Ordering::Relaxed) {
        let message = panic.to_string();
        complain(&format!(
            "error: internal error, please report: gpusched {}: {message}",
            env!("CARGO_PKG_VERSION")
        ));
    }
}

/// Writes a line to standard error, or adds it to the notes of a call. If standard error is closed, the function does nothing.
pub fn complain(message: &str) {
    let line = one_line(message);
    if !embedding::note(&line) {
        let _ = writeln!(anstream::stderr(), "{line}");
    }
}
