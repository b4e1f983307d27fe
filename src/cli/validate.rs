//! `gpusched validate`: analysis against simulation.

mod report;
mod shared;

use crate::cli::arguments::whole;
use crate::interference::model_of;
use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressStyle};

use super::{Global, Outcome};
use crate::cli::report::{Content, Output, OutputPath, json_lines};
use crate::error::Result;
use crate::validation::{Campaign, shared as shared_memory};

pub use report::Validation;
pub use shared::SharedValidation;

/// Compares analysis and simulation over random systems.
///
/// Each of random systems is a task set, a number of SMs, a heuristic, a policy and an interference model. Every partition that the
/// analysis accepts is simulated for a hyperperiod under critical and under random releases, with WCETs and with shorter times.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Number of systems; 288 in a row cover all policies, heuristics and interference models
    #[arg(long, value_name = "N", default_value_t = 2_880, value_parser = whole::<u64>(1..=10_000_000_000))]
    systems: u64,
    /// Instead, systems of partitions that share a memory: simulated side by side under every order of priority at the memory and
    /// max-min fairly, as accepted under conflict and under conflict+bandwidth.
    #[arg(long, conflicts_with_all = ["pessimism", "reproducer", "checkpoint"])]
    shared_memory: bool,
    /// Draw partitions of the GPUs that `gpusched gpus` lists
    ///
    /// All granularities take turns. Only with `--shared-memory`.
    #[arg(long, requires = "shared_memory")]
    devices: bool,
    /// Also write the longest response times as shares of their bounds, as CSV
    #[arg(long, value_name = "PATH", value_parser = OutputPath::of(Content::Csv), value_hint = clap::ValueHint::FilePath)]
    pessimism: Option<OutputPath>,
    /// File for the smallest counterexample, if there is one
    #[arg(long, value_name = "PATH", default_value = "reproducer.json",
        value_parser = OutputPath::of(Content::Json), value_hint = clap::ValueHint::FilePath)]
    reproducer: OutputPath,
    /// File that keeps the progress, to continue from
    #[arg(long, value_name = "PATH")]
    checkpoint: Option<PathBuf>,
}

const EXAMPLE: &str = "\
Exit code 1 if a deadline is missed, or a response time exceeds its bound, on a partition that the analysis accepts; then
`gpusched simulate tasks` shows it with the file of --reproducer and the arguments that are printed and are the name of its set.

Examples:
  gpusched validate --systems 576
  gpusched validate --shared-memory --systems 100000
  gpusched validate --systems 576 --pessimism pessimism.csv && gpusched plot pessimism.csv --x ratio --y share --series policy -o pessimism.svg";

impl Args {
    /// Validates.
    ///
    /// # Errors
    /// Bad usage, a checkpoint of something else, or output that cannot be written.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        if self.shared_memory {
            return self.run_shared(global);
        }
        let mut output = Output::open(global)?;
        let pessimism = output.beside(self.pessimism.as_ref())?;
        let campaign = Campaign {
            systems: self.systems,
            seed: global.seed(),
            analysis: model_of,
        };
        let bar = self.bar(global);
        let checkpoint = self.checkpoint.as_deref();
        let found = campaign.run(&global.pool()?, checkpoint, |systems| bar.inc(systems))?;
        bar.finish_and_clear();
        let validation = Validation::new(&campaign, &found, &self.reproducer);
        if let Some(reproducer) = &found.reproducer {
            let file = output.beside(Some(&self.reproducer))?;
            let set = json_lines([&reproducer.set])?;
            file.map_or(Ok(()), |file| output.complete(file, set))?;
        }
        if let Some(file) = pessimism {
            output.complete(file, report::pessimism(&found))?;
        }
        output.only(report::COLUMNS, &validation)?;
        Ok(match found.breaches() {
            0 => Outcome::Positive,
            _ => Outcome::Negative,
        })
    }

    fn run_shared(&self, global: &Global) -> Result<Outcome> {
        let output = Output::open(global)?;
        let campaign = shared_memory::Campaign {
            systems: self.systems,
            seed: global.seed(),
            devices: self.devices,
            analysis: |system| shared_memory::campaign::verdicts(system, true),
        };
        let bar = self.bar(global);
        let report = campaign.run(&global.pool()?, || bar.inc(1))?;
        bar.finish_and_clear();
        output.only(shared::COLUMNS, &SharedValidation::new(&campaign, &report))?;
        Ok(match report.broken {
            None => Outcome::Positive,
            Some(_) => Outcome::Negative,
        })
    }

    /// On standard error, where somebody looks.
    fn bar(&self, global: &Global) -> ProgressBar {
        if global.quiet {
            return ProgressBar::hidden();
        }
        let style = ProgressStyle::with_template("{bar:40} {pos} of {len} systems, {eta} left");
        ProgressBar::new(self.systems).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
    }
}
