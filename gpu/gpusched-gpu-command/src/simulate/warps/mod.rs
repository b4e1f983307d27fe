//! `gpusched simulate warps`: warps of kernels on a sub-core with fixed latencies, or on a simulated GPU.

mod response;
mod result;
mod rows;
mod table;

pub use result::Answer;

use std::path::PathBuf;

use self::response::{Guarantees, named_kernel};
use self::rows::{COLUMNS, Rows};
use super::kernels::{Changes, KernelArgs, budget_example, is_trace};
use gpusched_cli::part::Growing;
use gpusched_cli::part::Run;
use gpusched_cli::part::TimelineFiles;
use gpusched_cli::part::{Output, Palette};
use gpusched_cli::part::{named, refused};
use gpusched_cli::{Format, Global, Outcome};
use gpusched_gpu::warp_run::KernelSource;
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::observer::Following;
use gpusched_model::reader::WarpScenarios;
use gpusched_model::{Observer, Scheduler, WarpScenario};
use gpusched_sim::timeline::Timeline;
use gpusched_sim::warps::Chart;
use gpusched_sim::warps::subcore::{Issue, Overview, Record, simulate};

/// Arguments of `gpusched simulate warps`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Scenario or program (JSON; `-` is standard input), or Accel-Sim trace (.traceg)
    #[arg(value_name = "FILE")]
    scenario: PathBuf,
    /// Warp scheduler [default: scheduler of the scenario]
    #[arg(long, value_parser = named::<Scheduler>())]
    scheduler: Option<Scheduler>,
    /// Issue budget of a kernel (under `rt-paws`: priority); may be repeated
    #[arg(long, value_name = "KERNEL=N", value_parser = budget)]
    budget: Vec<(String, u32)>,
    /// Also compute a bound on the response time of each kernel, for all launch times
    ///
    /// Only for a sub-core (a scenario without `machine`). Each kernel runs once, and all instructions have the latencies of
    /// the scenario.
    #[arg(long)]
    bound: bool,
    /// Deadline of a kernel in cycles after its launch; may be repeated
    ///
    /// Implies `--bound`. Under `qaws` and `rt-paws`, gpusched replaces all issue budgets by the smallest ones that meet the
    /// deadlines by the bounds. If a bound exceeds a deadline, the exit code is 1.
    #[arg(long, value_name = "KERNEL=N", value_parser = deadline, conflicts_with = "budget")]
    deadline: Vec<(String, u64)>,
    #[command(flatten)]
    kernels: KernelArgs,
    #[command(flatten)]
    timeline_files: TimelineFiles,
}

const EXAMPLE: &str = "\
Simulated GPU: the result has the finish time of each kernel, the memory traffic, and the stalls of the warp schedulers.
With --format json, the result also has the thread blocks. With --format csv (or -o NAME.csv), it has one row per kernel.
Sub-core (a scenario without `machine`): the result has the finish time of each kernel. With --format json, the result also has
the warp that issued in each cycle. With --format csv, the result has one row per issued instruction.
In traces and Gantt charts, one nanosecond stands for one cycle.

Examples:
  gpusched simulate warps tasksets/kernels/programs/vadd.json --machine rtx2060 --sms 10 --scheduler gto
  gpusched simulate warps tasksets/kernels/programs/vadd.json --machine rtx2060 --grid 8 --sms 1 --issues vadd.csv --trace vadd.json
  gpusched simulate warps tasksets/runs/pc-copyl-spatial.json
  gpusched simulate warps tasksets/warps/singh22-fig3-qaws-1-4.json --budget K2=6 --gantt fig3d.svg
  gpusched simulate warps tasksets/warps/singh22-fig3-qaws-1-4.json --deadline K2=35";

fn budget(text: &str) -> Result<(String, u32), String> {
    of_kernel(text).ok_or_else(|| refused(text, format_args!("KERNEL=N with N from 0 to {}", u32::MAX)))
}

fn deadline(text: &str) -> Result<(String, u64), String> {
    of_kernel(text).ok_or_else(|| refused(text, format_args!("KERNEL=N with N from 0 to {}", u64::MAX)))
}

/// Parses `KERNEL=N`. The name of the kernel may contain `=`.
fn of_kernel<N: std::str::FromStr>(text: &str) -> Option<(String, N)> {
    let (kernel, number) = text.rsplit_once('=')?;
    Some((kernel.to_owned(), number.parse().ok()?))
}

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        let changes = Changes {
            scheduler: self.scheduler,
            budgets: &self.budget,
            timeline_files: &self.timeline_files,
        };
        let (file, kernels) = (self.scenario.as_path(), &self.kernels);
        if is_trace(file) {
            self.refuse_bounds("a trace")?;
            let source = KernelSource::Trace(file.file_name().unwrap_or_default().into());
            return kernels.run_alone(global, file, source, &changes);
        }
        let raw = WarpScenarios::only_raw(file, "scenario")?;
        let name = file.display().to_string();
        raw.check_syntax(&name)?;
        if raw.has("body") {
            self.refuse_bounds("a program")?;
            let source = KernelSource::Program(Box::new(raw.parse(&name)?));
            return kernels.run_alone(global, file, source, &changes);
        }
        if raw.has("machine") {
            self.refuse_bounds("a scenario with `machine`")?;
            return kernels.run(global, file, raw.parse(&name)?, &changes);
        }
        let scenario = raw.parse(&name)?;
        kernels.refuse()?;
        self.run_subcore(global, scenario)
    }
}

impl Args {
    /// Simulates a sub-core with fixed latencies.
    fn run_subcore(&self, global: &Global, scenario: WarpScenario) -> Result<Outcome> {
        let (scenario, guarantees) = self.changed(scenario)?;
        let shape = scenario.shape();
        let outcome = Outcome::from(guarantees.as_ref().is_none_or(Guarantees::met));
        let mut output = Output::open(global)?;
        let canvas = self.timeline_files.open(&mut output)?;
        let draw = |timeline: Option<Timeline>, output: &mut Output| {
            let title = shape.name.as_deref().unwrap_or("warps on a sub-core");
            timeline.map_or(Ok(()), |timeline| canvas.draw(&timeline, title, output))
        };
        match global.format() {
            Format::Csv if guarantees.is_some() => {
                let found = "--format csv, which has one row per instruction";
                return Err(Error::parameter("bound", found, "--format text or --format json"));
            }
            Format::Csv => {
                let mut rows = Rows(Growing::new(&mut output, Some(COLUMNS)));
                let timeline = self.simulate(&scenario, &mut rows)?;
                rows.0.finish()?;
                draw(timeline, &mut output)?;
                output.finish()?;
            }
            Format::Json => {
                let mut record = Record::default();
                let timeline = self.simulate(&scenario, &mut record)?;
                if let Some(most) = record.exceeded() {
                    let message = format!(
                        "found a run of more than {most} cycles, expected at most {most} cycles for JSON, \
                         which must fit in memory; --format csv has no limit"
                    );
                    return Err(self.refuse(&message));
                }
                draw(timeline, &mut output)?;
                output.json(&Answer::new(shape, &record, guarantees.as_ref()))?;
            }
            Format::Text => {
                let mut overview = Overview::default();
                let timeline = self.simulate(&scenario, &mut overview)?;
                draw(timeline, &mut output)?;
                output.answer(table::text(
                    shape,
                    &overview,
                    guarantees.as_ref(),
                    &Palette::of(global),
                ))?;
            }
        }
        Ok(outcome)
    }

    /// Simulates `scenario`. Records a timeline if an output file requires one. Error messages
    /// name the scenario file.
    fn simulate(
        &self,
        scenario: &WarpScenario,
        observer: &mut impl Observer<Issue, u64>,
    ) -> Result<Option<Timeline>> {
        if !self.timeline_files.wanted() {
            simulate(scenario, observer).map_err(|error| self.refuse(&error))?;
            return Ok(None);
        }
        let refuse = |error| self.timeline_files.refuse(error);
        let mut chart = Chart::new(scenario.shape()).map_err(refuse)?;
        simulate(scenario, &mut Following(observer, &mut chart)).map_err(|error| self.refuse(&error))?;
        chart.finish().map(Some).map_err(refuse)
    }

    fn refuse(&self, message: &impl ToString) -> Error {
        Refusal::told("", message.to_string())
            .at(&self.scenario, None)
            .into()
    }

    /// Fails if an option requires bounds, which exist only for sub-cores. `found` names the input.
    fn refuse_bounds(&self, found: &str) -> Result<()> {
        match (self.bound, self.deadline.is_empty()) {
            (false, true) => Ok(()),
            (_, empty) => {
                let option = if empty { "bound" } else { "deadline" };
                Err(Error::parameter(
                    option,
                    found,
                    "a scenario of a sub-core, without `machine`",
                ))
            }
        }
    }

    /// Returns a copy of `scenario`, with the values of the given options in place of the values of the scenario, and the
    /// bounds and deadlines if an option asks for them.
    fn changed(&self, scenario: WarpScenario) -> Result<(WarpScenario, Option<Guarantees>)> {
        let mut shape = scenario.shape().clone();
        if let Some(scheduler) = self.scheduler {
            shape.set_scheduler(scheduler);
        }
        for (name, budget) in &self.budget {
            let index = named_kernel(&shape, "budget", name)?;
            shape.kernels[index].budget = Some(*budget);
        }
        let deadlines = response::deadlines(&mut shape, &self.deadline)?;
        let without = shape.kernels.iter().find(|kernel| kernel.budget.is_none());
        let example = without.map(|kernel| budget_example(&kernel.name));
        let scenario = WarpScenario::new(shape).map_err(|refusal| {
            let lacking = refusal.field().ends_with(".budget") && refusal.found() == Some("none");
            let refusal = refusal.at(&self.scenario, None);
            let refusal = match example.filter(|_| lacking) {
                Some(example) => refusal.hint(example),
                None => refusal,
            };
            Error::from(refusal)
        })?;
        let guarantees =
            (self.bound || !self.deadline.is_empty()).then(|| Guarantees::new(scenario.shape(), deadlines));
        Ok((scenario, guarantees))
    }
}
