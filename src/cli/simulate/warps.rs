//! `gpusched simulate warps`: the warps of kernels on a sub-core.

mod answer;
mod rows;
mod table;

pub use answer::Answer;

use std::path::PathBuf;

use super::pictures::Pictures;
use crate::cli::output::{Output, Palette};
use crate::cli::question::json_line;
use crate::cli::{Format, Global, Outcome};
use crate::error::{Error, InputError, Result};
use crate::model::reader::WarpScenarios;
use crate::model::{Scheduler, WarpScenario};
use crate::simulator::warp::subcore::{Chart, Observer, Overview, Record, simulate};

/// Simulates the warps of kernels on a sub-core, cycle by cycle.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// One scenario (JSON); `-` reads standard input.
    #[arg(value_name = "SCENARIO")]
    scenario: PathBuf,
    /// Which warp issues next [default: as the scenario says].
    #[arg(long, value_enum)]
    scheduler: Option<Scheduler>,
    /// Another budget (rt-paws: priority) of a kernel; may be repeated.
    #[arg(long, value_name = "KERNEL=N", value_parser = budget)]
    budget: Vec<(String, u32)>,
    #[command(flatten)]
    pictures: Pictures,
}

const EXAMPLE: &str = "\
Prints when each kernel finishes; with --format json also which warp issued in each cycle, with --format csv (or -o NAME.csv) each
instruction that was issued. In traces and Gantt charts a cycle is a nanosecond.

Examples:
  gpusched simulate warps tasksets/warps/singh22-fig3-qaws-1-4.json
  gpusched simulate warps tasksets/warps/singh22-fig3-qaws-1-4.json --budget K2=6 --gantt fig3d.svg";

/// `KERNEL=N`; the name may have a = in it.
fn budget(text: &str) -> Result<(String, u32), String> {
    let parts = text.rsplit_once('=');
    let parts = parts.and_then(|(kernel, budget)| Some((kernel.to_owned(), budget.parse().ok()?)));
    parts.ok_or_else(|| format!("expected KERNEL=N with N from 0 to {}", u32::MAX))
}

impl Args {
    /// Simulates the scenario.
    ///
    /// # Errors
    /// Bad input, a run that is too long, or output that cannot be written.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        self.pictures.check()?;
        let scenario = self.scenario()?;
        let shape = scenario.shape();
        match global.format() {
            Format::Csv => {
                let mut rows = rows::Rows::new(Output::open(global)?);
                self.simulate(&scenario, &mut rows)?;
                rows.finish()?;
            }
            Format::Json => {
                let mut record = Record::default();
                self.simulate(&scenario, &mut record)?;
                if let Some(most) = record.exceeded() {
                    let message = format!(
                        "found a run of more than {most} cycles, expected at most that for JSON, which is held in memory; \
                         --format csv has no limit"
                    );
                    return Err(self.refuse(&message));
                }
                let mut output = Output::open(global)?;
                output.write(json_line(&Answer::new(shape, &record))?)?;
                output.finish()?;
            }
            Format::Text => {
                let mut overview = Overview::default();
                self.simulate(&scenario, &mut overview)?;
                let mut output = Output::open(global)?;
                output.write(table::text(shape, &overview, &Palette::of(global)))?;
                output.finish()?;
            }
        }
        Ok(Outcome::Positive)
    }

    /// Simulates; what cannot be simulated is the file's fault.
    fn simulate(&self, scenario: &WarpScenario, observer: &mut impl Observer) -> Result<()> {
        if !self.pictures.wanted() {
            return simulate(scenario, observer).map_err(|error| self.refuse(&error));
        }
        let shape = scenario.shape();
        let refuse = |error| self.pictures.refuse(error);
        let mut chart = Chart::new(shape).map_err(refuse)?;
        simulate(scenario, &mut (observer, &mut chart)).map_err(|error| self.refuse(&error))?;
        let timeline = chart.finish().map_err(refuse)?;
        let title = shape.name.as_deref().unwrap_or("warps on a sub-core");
        self.pictures.write(&timeline, title)
    }

    fn refuse(&self, message: &impl ToString) -> Error {
        self.fault("", message)
    }

    fn fault(&self, field: &str, message: &impl ToString) -> Error {
        Error::Input(InputError {
            file: self.scenario.display().to_string(),
            line: None,
            field: field.to_owned(),
            message: message.to_string(),
        })
    }

    /// The scenario with what the options change of it.
    fn scenario(&self) -> Result<WarpScenario> {
        let scenario = WarpScenarios::only(&self.scenario, "scenario")?;
        let mut shape = scenario.shape().clone();
        if let Some(scheduler) = self.scheduler {
            shape.set_scheduler(scheduler);
        }
        for (name, budget) in &self.budget {
            let kernel = shape.kernels.iter_mut().find(|kernel| kernel.name == *name);
            let Some(kernel) = kernel else {
                let names: Vec<&str> = shape.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
                let expected = names.join(", ");
                let message = format!("--budget: found the kernel {name:?}, expected one of {expected}");
                return Err(Error::Usage(message));
            };
            kernel.budget = Some(*budget);
        }
        WarpScenario::new(shape).map_err(|error| {
            let message = format!("found {}, expected {}", error.found, error.expected);
            self.fault(&error.field, &message)
        })
    }
}
