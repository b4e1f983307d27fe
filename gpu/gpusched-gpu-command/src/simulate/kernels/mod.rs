//! `gpusched simulate warps` for kernels on a simulated GPU.

mod issues;
mod once;
mod result;
mod table;

pub use once::EqualSmsOnce;
pub use result::{Answer, KernelTrafficAnswer, TrafficAnswer, time_ns};

use std::path::Path;

use gpusched_cli::part::TimelineFiles;
use gpusched_cli::part::complain;
use gpusched_cli::part::{Content, Output, OutputPath, Progress};
use gpusched_cli::part::{refused, whole};
use gpusched_cli::{Global, Outcome};
use gpusched_gpu::machine::Machine;
use gpusched_gpu::program::Program;
use gpusched_gpu::program::Programs;
use gpusched_gpu::program::{Dimensions, Ordered};
use gpusched_gpu::scenario::chart;
use gpusched_gpu::scenario::{LIMIT, Options, Setup};
use gpusched_gpu::warp_run::WarpRun;
use gpusched_gpu::warp_run::{KernelSource, RunKernel, WarpRunShape};
use gpusched_model::Scheduler;
use gpusched_model::error::{Error, Result};
use gpusched_sim::timeline::MAX_EVENTS;

/// Maximum number of rows in a file of `--issues`. gpusched keeps all rows in memory.
const MOST_ISSUES: usize = 50_000_000;

/// Options that apply only to runs on a simulated GPU.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Kernels on a simulated GPU")]
pub struct KernelArgs {
    /// Simulated GPU: a name or a file
    ///
    /// Required for a program or a trace. For a scenario, the option replaces the GPU of the
    /// scenario.
    #[arg(long, value_name = "MACHINE")]
    machine: Option<String>,
    #[command(flatten)]
    launch: Launch,
    /// Number of SMs in use [default: as in the scenario, otherwise all]
    #[arg(long, value_name = "N", value_parser = whole(0..=u32::MAX))]
    sms: Option<u32>,
    /// Start with an empty L2 cache
    #[arg(long)]
    cold: bool,
    /// Maximum number of core cycles [default: 10^9]
    #[arg(long, value_name = "CYCLES", value_parser = whole::<u64>(1..))]
    limit: Option<u64>,
    #[command(flatten)]
    once: EqualSmsOnce,
    /// Also write a CSV file with one row per issued instruction
    #[arg(long, value_name = "FILE.csv", value_parser = OutputPath::of(Content::Csv), value_hint = clap::ValueHint::FilePath)]
    issues: Option<OutputPath>,
}

/// Options for the launch of a program. Each option replaces a value in the program.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Launch {
    /// Number of thread blocks of a program, e.g., 480 or 16x8
    #[arg(long, value_name = "SIZE")]
    grid: Option<Dimensions>,
    /// Threads per block of a program, e.g., 256 or 16x16
    #[arg(long, value_name = "SIZE")]
    block: Option<Dimensions>,
    /// Value of a program parameter, or size of a buffer in bytes; may be repeated
    #[arg(long = "parameter", short, value_name = "NAME=VALUE", value_parser = parameter)]
    parameters: Vec<(String, i64)>,
}

/// Parses `NAME=VALUE`.
fn parameter(text: &str) -> Result<(String, i64), String> {
    let parts = text.split_once('=');
    let parts = parts.and_then(|(name, value)| Some((name.to_owned(), value.parse().ok()?)));
    parts.ok_or_else(|| refused(text, "NAME=VALUE with a whole number, such as n=16"))
}

impl Launch {
    /// Whether any of these options is given.
    fn given(&self) -> bool {
        self.grid.is_some() || self.block.is_some() || !self.parameters.is_empty()
    }

    /// Returns `source` with the values of the options. If a parameter is repeated, its last
    /// value applies.
    pub fn of(&self, source: KernelSource) -> RunKernel {
        let mut parameters: Vec<(String, i64)> = Vec::new();
        for (name, value) in &self.parameters {
            parameters.retain(|(known, _)| known != name);
            parameters.push((name.clone(), *value));
        }
        RunKernel {
            grid: self.grid,
            block: self.block,
            parameters: Ordered(parameters),
            ..RunKernel::new(source)
        }
    }
}

/// Reads the program in the file `path`, with the values of its buffers. Returns `None` for a trace.
///
/// # Errors
/// Fails if the file contains no program, or if the values of a buffer cannot be read.
pub fn program_of(path: &Path) -> Result<Option<Program>> {
    match is_trace(path) {
        true => Ok(None),
        false => {
            let mut program = Programs::only(path, "program")?;
            program.read_values(path.parent().unwrap_or(Path::new("")))?;
            Ok(Some(program))
        }
    }
}

/// Whether the name of the file at `path` is the name of an Accel-Sim trace.
pub fn is_trace(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("traceg"))
}

/// Values of options that replace values of a scenario.
pub struct Changes<'a> {
    /// Warp scheduler.
    pub scheduler: Option<Scheduler>,
    /// Issue budgets by kernel name.
    pub budgets: &'a [(String, u32)],
    /// Output files of the timeline.
    pub timeline_files: &'a TimelineFiles,
}

impl KernelArgs {
    /// Refuses these options for a scenario of a sub-core.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`], which states the name of the first given option.
    pub fn refuse(&self) -> Result<()> {
        let options = [
            ("machine", self.machine.is_some()),
            ("--grid, --block or --parameter", self.launch.given()),
            ("sms", self.sms.is_some()),
            ("cold", self.cold),
            ("equal-sms-once", self.once.given),
            ("limit", self.limit.is_some()),
            ("issues", self.issues.is_some()),
        ];
        match options.iter().find(|(_, given)| *given) {
            None => Ok(()),
            Some((option, _)) => Err(Error::parameter(
                *option,
                "a scenario of a sub-core",
                "a program, or a scenario with `machine`",
            )),
        }
    }

    /// Simulates `source`, which is a single program or trace. Error messages name `file`.
    ///
    /// # Errors
    /// Fails without `--machine`. Also fails in the same cases as [`KernelArgs::run`].
    pub fn run_alone(
        &self,
        global: &Global,
        file: &Path,
        source: KernelSource,
        changes: &Changes<'_>,
    ) -> Result<Outcome> {
        let Some(machine) = &self.machine else {
            return Err(Error::parameter(
                "machine",
                "none",
                format!(
                    "one of {}, or the file of a simulated GPU, for the kernel in {}",
                    Machine::names(),
                    file.display()
                ),
            ));
        };
        let shape = WarpRunShape::alone(find(machine)?, self.launch.of(source));
        self.simulate(global, file, shape, changes).map_err(blame)
    }

    /// Simulates the scenario `run` from `file`.
    ///
    /// # Errors
    /// Fails on bad input, for unsupported programs, for runs that exceed the limit of cycles, or if output cannot be written.
    pub fn run(&self, global: &Global, file: &Path, run: WarpRun, changes: &Changes<'_>) -> Result<Outcome> {
        if self.launch.given() {
            let options = "--grid, --block, --parameter";
            return Err(Error::parameter(options, "a scenario", "a program"));
        }
        let mut shape = run.into_shape();
        if let Some(machine) = &self.machine {
            shape.machine = find(machine)?;
        }
        self.simulate(global, file, shape, changes)
    }

    fn simulate(
        &self,
        global: &Global,
        file: &Path,
        mut shape: WarpRunShape,
        changes: &Changes<'_>,
    ) -> Result<Outcome> {
        if let Some(scheduler) = changes.scheduler {
            shape.set_scheduler(scheduler);
        }
        shape.sms = self.sms.or(shape.sms);
        shape.warm &= !self.cold;
        let setup = setup(file, shape, changes.budgets).map_err(|error| {
            error.map_refusal(|refusal| match refusal.field() == "sms" && self.sms.is_some() {
                true => refusal.anywhere(),
                false => refusal,
            })
        })?;
        let mut output = Output::open(global)?;
        output.keep(setup.files())?;
        let canvas = changes.timeline_files.open(&mut output)?;
        let issues = output.beside(self.issues.as_ref())?;
        let drawn = changes.timeline_files.wanted();
        let options = Options {
            record_issues: match drawn {
                true => Some(MAX_EVENTS),
                false => self.issues.as_ref().map(|_| MOST_ISSUES),
            },
            camping: false,
            equal_sms_once: self.once.given,
            limit: self.limit.unwrap_or(LIMIT),
            parallel: true,
        };
        let progress = Progress::new(global, "core cycles");
        let run = || setup.run(options, &mut |cycle| progress.at(cycle));
        let (results, texts) = global.pool()?.install(run)?;
        drop(progress);
        let answer = Answer::new(&setup, &results);
        if drawn {
            let timeline =
                chart(&setup, &results, &texts).map_err(|error| changes.timeline_files.refuse(error))?;
            canvas.draw(&timeline, &answer.title(), &mut output)?;
        }
        if let Some(file) = issues {
            output.complete(file, issues::csv(&setup, results.issues, &texts)?)?;
        }
        output.last(&answer)?;
        self.once.explain(global, &setup)?;
        warn_outside(&setup);
        Ok(Outcome::Positive)
    }
}

/// Writes a warning for each kernel of `setup` that accessed memory outside its buffers. Writes a note for each kernel
/// that reads stated values of a buffer and also writes to this buffer.
pub fn warn_outside(setup: &Setup) {
    for changed in setup.changed_contents() {
        complain(&format!("note: {changed}"));
    }
    for outside in setup.outside() {
        complain(&format!(
            "warning: {outside}; the simulated times may be too short"
        ));
    }
}

/// Converts an error about a field of a scenario to an error about the option that sets the field.
pub fn blame(error: Error) -> Error {
    error.map_refusal(|refusal| {
        let field = refusal.field().strip_prefix("kernels[0].");
        let field = field.unwrap_or(refusal.field()).to_owned();
        match field.split('.').next() {
            Some(option @ ("grid" | "block" | "budget")) => refusal.anywhere().of_field(option),
            Some("parameters") => refusal.anywhere().of_field("parameter"),
            Some("warm") => refusal
                .of_field("")
                .hint("start with an empty L2 cache: add `--cold`"),
            _ => refusal.of_field(field.strip_prefix("program.").unwrap_or(&field)),
        }
    })
}

/// Returns the simulated GPU that `--machine` selects.
pub fn find(machine: &str) -> Result<Machine> {
    Machine::find(machine)
}

/// Returns the setup of the run `shape` in `file`, with issue budgets from `budgets`.
pub fn setup(file: &Path, mut shape: WarpRunShape, budgets: &[(String, u32)]) -> Result<Setup> {
    for (name, budget) in budgets {
        // Read the programs first, because the file of a program contains its name.
        let read = Setup::names(&shape, file)?;
        let Some(index) = read.iter().position(|known| known == name) else {
            return Err(Error::parameter(
                "budget",
                format!("the kernel {name:?}"),
                format!("one of {}", read.join(", ")),
            ));
        };
        if let Some(kernel) = shape.kernels.get_mut(index) {
            kernel.budget = Some(*budget);
        }
    }
    let without = shape.kernels.iter().position(|kernel| kernel.budget.is_none());
    let without = without.filter(|_| shape.scheduler().has_budgets());
    let example = match without {
        Some(index) => Setup::names(&shape, file)?
            .get(index)
            .map(|name| budget_example(name)),
        None => None,
    };
    let run = WarpRun::new(shape).map_err(|refusal| {
        let refusal = refusal.at(file, None);
        match example.filter(|_| refusal.field().ends_with(".budget")) {
            Some(example) => refusal.hint(example),
            None => refusal,
        }
    })?;
    Setup::new(&run, file)
}

/// Returns a hint with an example of an issue budget for the kernel `name`.
pub fn budget_example(name: &str) -> String {
    format!("add `--budget {name}=4`")
}
