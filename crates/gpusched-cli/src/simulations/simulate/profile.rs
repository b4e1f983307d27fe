//! `gpusched simulate profile`: simulates a kernel in isolation, on several numbers of SMs one after another.

mod range;
mod report;

pub use report::{Answer, COLUMNS, ESTIMATE_COLUMN, GPU_COLUMNS};

use std::path::PathBuf;

use rayon::prelude::*;

use self::range::{Clock, SmRange};
use self::report::Point;
use super::kernels::{self, EqualSmsOnce, Launch, is_trace};
use crate::arguments::{named, refused, whole};
use crate::report::{Output, Progress};
use crate::{Format, Global, Outcome, complain};
use gpusched_model::error::{Error, Result};
use gpusched_model::machine::Machine;
use gpusched_model::reader::Programs;
use gpusched_model::warp_run::{KernelSource, WarpRunShape};
use gpusched_model::{Estimated, Scheduler};
use gpusched_warp::scenario::{LIMIT, Options, Setup};

/// Arguments of `gpusched simulate profile`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Program (JSON; `-` is standard input) or Accel-Sim trace (`.traceg`)
    #[arg(value_name = "PROGRAM")]
    program: PathBuf,
    /// Simulated GPU: a name or a file
    #[arg(long, value_name = "MACHINE")]
    machine: String,
    /// Numbers of SMs, e.g., 1..30 or 2..30:4 [default: all]
    ///
    /// For every number of SMs, the simulated GPU keeps its whole L2 cache and DRAM.
    #[arg(long, value_name = "FIRST..LAST[:STEP]")]
    sms: Option<SmRange>,
    #[command(flatten)]
    launch: Launch,
    /// Warp scheduler [default: scheduler of the simulated GPU]
    #[arg(long, value_parser = named::<Scheduler>())]
    scheduler: Option<Scheduler>,
    /// Issue budget (`qaws`) or priority (`rt-paws`) of the kernel
    #[arg(long, value_name = "N", value_parser = whole(0..=u32::MAX))]
    budget: Option<u32>,
    /// Start with an empty L2 cache [default: L2 contains the buffers of the program]
    #[arg(long)]
    cold: bool,
    /// Estimate the time by simulating ROUNDS rounds of thread blocks on one SM
    ///
    /// `--estimate` without a number means 3 rounds. An estimate is much faster than a full
    /// simulation, but inexact. Do not use an estimate in a safety argument.
    #[arg(long, value_name = "ROUNDS", num_args = 0..=1, default_missing_value = "3", require_equals = true,
        value_parser = estimated, conflicts_with = "equal_sms_once")]
    estimate: Option<Estimated>,
    #[command(flatten)]
    once: EqualSmsOnce,
    /// Clock frequency of a domain; may be repeated
    #[arg(long = "clock", value_name = "core|interconnect|l2|dram=MHZ")]
    clocks: Vec<Clock>,
    /// Maximum number of core cycles
    #[arg(long, value_name = "CYCLES", default_value_t = LIMIT, value_parser = whole::<u64>(1..))]
    limit: u64,
}

const EXAMPLE: &str = "\
The CSV result has one row per number of SMs. `wcet fit` reads the CSV result, even if the kernel is slower on more SMs.

Examples:
  gpusched simulate profile tasksets/kernels/programs/copyl.json --machine rtx2060
  gpusched simulate profile tasksets/kernels/programs/pc.json --machine rtx2060 --sms 1..10 -o points.csv && gpusched wcet fit points.csv";

fn estimated(text: &str) -> Result<Estimated, String> {
    let rounds = text.parse().ok().and_then(Estimated::new);
    let (least, most) = Estimated::ROUNDS.into_inner();
    rounds.ok_or_else(|| refused(text, format_args!("{least} to {most} rounds")))
}

impl Args {
    /// Simulates the kernel on each requested number of SMs and writes the profile.
    ///
    /// # Errors
    /// Fails on bad input, for an unsupported program, for a run that exceeds `--limit`, or if
    /// output cannot be written.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        let setup = self.setup()?;
        let sms = self.numbers(setup.machine())?;
        let mut output = Output::open(global)?;
        output.keep(setup.files())?;
        let options = Options {
            record_issues: false,
            equal_sms_once: self.once.given,
            limit: self.limit,
        };
        let progress = Progress::new(global, "numbers of SMs");
        let point = |&sms: &u32| {
            let results = match self.estimate {
                Some(estimated) => setup.estimate_on(sms, estimated.rounds(), options)?,
                None => setup.run_on(sms, options, &mut |_| ())?.0,
            };
            progress.step();
            Ok(Point::new(setup.machine(), sms, &results))
        };
        let points: Vec<Result<Point>> = global.pool()?.install(|| sms.par_iter().map(point).collect());
        let points = points.into_iter().collect::<Result<Vec<Point>>>()?;
        drop(progress);
        // A trace does not state its buffers, so L2 starts empty.
        let warm = !self.cold && !is_trace(&self.program);
        let answer = Answer::new(&setup, warm, self.estimate, points);
        output.only(&answer.columns(), &answer)?;
        // The text result already contains the warning.
        let said = global.format() == Format::Text && global.file().is_none();
        if let Some(estimated) = self.estimate.filter(|_| !said) {
            complain(&format!("warning: {estimated}"));
        }
        if !global.quiet
            && let Some(note) = answer.note()
        {
            complain(&format!("note: {note}"));
        }
        self.once.explain(global, &setup)?;
        kernels::warn_outside(&setup);
        Ok(Outcome::Positive)
    }

    fn setup(&self) -> Result<Setup> {
        let source = match is_trace(&self.program) {
            true => KernelSource::Trace(self.program.file_name().unwrap_or_default().into()),
            false => KernelSource::Program(Box::new(Programs::only(&self.program, "program")?)),
        };
        let mut kernel = self.launch.of(source);
        kernel.budget = self.budget;
        let mut machine = kernels::find(&self.machine)?.into_shape();
        self.clocks
            .iter()
            .for_each(|clock| clock.set(&mut machine.clocks));
        let machine = Machine::new(machine).map_err(|refusal| refusal.of_field("clock").and(" kHz"))?;
        let mut shape = WarpRunShape::alone(machine, kernel);
        shape.scheduler = self.scheduler;
        shape.warm = !self.cold;
        kernels::setup(&self.program, shape, &[]).map_err(kernels::blame)
    }

    /// Returns the requested numbers of SMs. Fails if `machine` does not support all of these
    /// numbers.
    fn numbers(&self, machine: &Machine) -> Result<Vec<u32>> {
        let (all, cluster) = (machine.sms(), machine.sms_per_cluster);
        let range = self.sms.unwrap_or(SmRange::new(cluster, all, cluster));
        let numbers = range.numbers();
        let wrong = numbers
            .iter()
            .find(|&&sms| sms > all || !sms.is_multiple_of(cluster));
        match wrong {
            None => Ok(numbers),
            Some(found) => {
                let name = &machine.name;
                let expected = match cluster {
                    1 => format!("1 to {all}, the number of SMs of {name}"),
                    _ => format!(
                        "multiples of {cluster} (the number of SMs in a cluster of {name}) up to {all}, such as {cluster}..{all}:{cluster}"
                    ),
                };
                Err(Error::parameter("sms", found, expected))
            }
        }
    }
}
