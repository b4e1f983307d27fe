//! `gpusched simulate profile`: simulates a kernel in isolation, on several numbers of SMs one after another. With
//! `--beside`, also beside a second kernel on the same SMs.

mod range;
mod report;
mod second;
mod stress;
mod variants;

pub use report::Answer;
#[cfg(feature = "schema")]
pub use stress::StressAnswer;
pub use variants::Variant;

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use self::range::Clock;
pub use self::range::SmRange;
use self::report::{Point, Replies};
use super::kernels::{self, EqualSmsOnce, Launch, is_trace};
use crate::simulate::beside;
use gpusched_cli::part::Run;
use gpusched_cli::part::complain;
use gpusched_cli::part::{Output, Progress};
use gpusched_cli::part::{named, refused, whole};
use gpusched_cli::{Format, Global, Outcome};
use gpusched_gpu::machine::Machine;
use gpusched_gpu::program::Program;
use gpusched_gpu::scenario::{LIMIT, Options, Setup};
use gpusched_gpu::stress::{L2, Whole, with_l2};
use gpusched_gpu::warp_run::{KernelSource, RunKernel, WarpRunShape};
use gpusched_model::error::{Error, Result};
use gpusched_model::{Estimated, Scheduler};

/// Arguments of `gpusched simulate profile`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Program (JSON; `-` is standard input) or Accel-Sim trace (`.traceg`)
    #[arg(
        value_name = "PROGRAM",
        required_unless_present = "stress",
        conflicts_with = "stress"
    )]
    program: Option<PathBuf>,
    /// Simulated GPU: a name or a file
    #[arg(long, value_name = "MACHINE")]
    machine: String,
    /// Numbers of SMs, e.g., 1..30 or 2..30:4 [default: all]
    ///
    /// The simulated GPU has its whole L2 cache and DRAM with every number of SMs.
    #[arg(long, value_name = "RANGE")]
    sms: Option<SmRange>,
    #[command(flatten)]
    launch: Launch,
    /// Warp scheduler [default: scheduler of the simulated GPU]
    #[arg(long, value_parser = named::<Scheduler>())]
    scheduler: Option<Scheduler>,
    /// Issue budget (`qaws`) or priority (`rt-paws`) of the kernel
    #[arg(long, value_name = "N", value_parser = whole(0..=u32::MAX))]
    budget: Option<u32>,
    /// Also simulate the kernel beside this program, on the same SMs
    ///
    /// The program starts at cycle 0, and again whenever it ends, until the measured kernel ends. Each of the two kernels
    /// uses at most half of the threads, registers and shared memory of each SM. The profile then contains times in
    /// conflict, too, which `wcet fit` reads. In isolation, the kernel uses whole SMs. Without --l2, all runs start with
    /// a warm and with an empty L2 cache. With --vary, the launch times of the kernel cover a run of the program.
    #[arg(long, value_name = "PROGRAM", value_hint = clap::ValueHint::FilePath, conflicts_with_all = ["stress", "estimate", "equal_sms_once", "l2_ways", "channels"])]
    beside: Option<PathBuf>,
    /// Issue budget (`qaws`) or priority (`rt-paws`) of the program of --beside
    #[arg(long, value_name = "N", value_parser = whole(0..=u32::MAX), requires = "beside")]
    beside_budget: Option<u32>,
    /// Start with an empty L2 cache [default: L2 contains the buffers of the program]
    #[arg(long, conflicts_with = "l2")]
    cold: bool,
    /// Content of L2 at the start [default: warm]
    ///
    /// `thrashed` is an empty L2 cache with one line per set, as if other kernels used all other lines.
    #[arg(long, value_name = "CONTENT", value_enum)]
    l2: Option<L2Content>,
    /// Number of ways of L2 that only the kernel uses [default: all]
    ///
    /// With `--traffic`, `wcet fit` also writes the number of sectors at DRAM to the task. `--own-l2` uses this number.
    #[arg(long, value_name = "N", value_parser = whole(1..=u32::MAX))]
    l2_ways: Option<u32>,
    /// Number of DRAM channels, with their L2 slices, that only the kernel uses [default: all]
    #[arg(long, value_name = "N", value_parser = whole(1..=u32::MAX))]
    channels: Option<u32>,
    /// Simulate N runs with different launch times and base addresses, and report the longest run
    ///
    /// The time of a cold run depends on the phase of the DRAM clock and on the addresses. The first run starts at cycle
    /// 0 with the default addresses. The other runs depend on --seed.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(1..=1000_u32))]
    vary: u32,
    /// Also report the memory traffic of a job, and the largest share at one slice, channel and bank
    #[arg(long)]
    traffic: bool,
    /// Simulate request patterns instead of a kernel, and measure the sustained rates of L2 and DRAM
    ///
    /// The patterns access streams, random sectors, one slice, one channel or one bank. An analysis of memory
    /// interference may use these rates as capacities.
    #[arg(long, conflicts_with_all = ["sms", "grid", "block", "parameters", "budget", "cold", "l2", "l2_ways", "channels", "vary", "traffic", "estimate",
        "equal_sms_once", "limit"])]
    stress: bool,
    /// Folder for the programs of the patterns; only with --stress
    #[arg(long, value_name = "FOLDER", requires = "stress", value_hint = clap::ValueHint::DirPath)]
    programs: Option<PathBuf>,
    /// Estimate the time by simulating the first rounds of thread blocks, at least ROUNDS
    ///
    /// `--estimate` without a number means at least 4 rounds. A round consists of the blocks that fit on all SMs at the
    /// same time. The simulation continues until the uncertainty of the estimated time is at most 12 %. gpusched
    /// simulates kernels with few rounds completely. If the simulation reaches the limit of cycles, an uncertainty
    /// above 25 % is an error. Do not use an estimate in a safety argument.
    #[arg(long, value_name = "ROUNDS", num_args = 0..=1, default_missing_value = "4", require_equals = true,
        value_parser = estimated, conflicts_with_all = ["equal_sms_once", "vary", "traffic", "l2"])]
    estimate: Option<Estimated>,
    #[command(flatten)]
    once: EqualSmsOnce,
    /// Clock frequency of core, interconnect, l2 or dram, e.g., dram=3500; may be repeated
    #[arg(long = "clock", value_name = "DOMAIN=MHZ")]
    clocks: Vec<Clock>,
    /// Maximum number of core cycles
    #[arg(long, value_name = "CYCLES", default_value_t = LIMIT, value_parser = whole::<u64>(1..))]
    limit: u64,
}

/// Content of L2 at the start of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum L2Content {
    /// L2 contains the buffers of the program.
    Warm,
    /// L2 is empty.
    Cold,
    /// L2 is empty, and each of its sets has only one line.
    Thrashed,
}

impl From<L2Content> for L2 {
    fn from(content: L2Content) -> L2 {
        match content {
            L2Content::Warm => L2::Warm,
            L2Content::Cold => L2::Cold,
            L2Content::Thrashed => L2::Thrashed,
        }
    }
}

const EXAMPLE: &str = "\
The CSV result has one row per number of SMs. `wcet fit` reads the CSV result, even if the kernel is slower on more SMs.

Examples:
  gpusched simulate profile tasksets/kernels/programs/copyl.json --machine rtx2060
  gpusched simulate profile tasksets/kernels/programs/pc.json --machine rtx2060 --sms 1..10 -o points.csv && gpusched wcet fit points.csv
  gpusched simulate profile tasksets/kernels/programs/vadd.json --machine rtx2060 --sms 10 --l2 cold --vary 4 --traffic
  gpusched simulate profile --stress --machine rtx2060 -o rates.json";

fn estimated(text: &str) -> Result<Estimated, String> {
    let rounds = text.parse().ok().and_then(Estimated::new);
    let (least, most) = Estimated::ROUNDS.into_inner();
    rounds.ok_or_else(|| refused(text, format_args!("{least} to {most} rounds")))
}

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        let Some(program) = &self.program else {
            return stress::run(
                global,
                &kernels::find(&self.machine)?,
                self.scheduler,
                self.programs.as_deref(),
            );
        };
        let read = kernels::program_of(program)?;
        let other = self.beside.as_deref().map(|path| self.other(path)).transpose()?;
        let period = other
            .as_ref()
            .map(|other| self.period(program, other))
            .transpose()?;
        let variants = self.variants(global.seed(), period.unwrap_or(0));
        let setups = |other: Option<&RunKernel>| {
            let setups = variants
                .iter()
                .map(|(variant, l2)| self.setup(program, read.as_ref(), *variant, *l2, other));
            setups.collect::<Result<Vec<Setup>>>()
        };
        let beside = other.as_ref().map(|other| setups(Some(other))).transpose()?;
        let setups = setups(None)?;
        let [setup, ..] = setups.as_slice() else {
            return Ok(Outcome::Positive);
        };
        let sms = self.numbers(setup.machine())?;
        let mut output = Output::open(global)?;
        output.keep(setup.files().chain(self.beside.as_deref()))?;
        let options = Options {
            record_issues: None,
            camping: self.traffic,
            equal_sms_once: self.once.given,
            limit: self.limit,
            parallel: false,
        };
        // Replies may hold a port longer with another content of L2. L2 contains nothing at the start of a trace.
        let other = match (self.traffic && read.is_some(), self.l2()) {
            (false, _) => None,
            (true, L2::Warm) => Some(L2::Cold),
            (true, L2::Cold | L2::Thrashed) => Some(L2::Warm),
        };
        let first = variants.first().map(|&(variant, _)| variant).zip(other);
        let other_l2 = first.map(|(variant, l2)| self.setup(program, read.as_ref(), variant, l2, None));
        let other_l2 = other_l2.transpose()?;
        let progress = Progress::new(global, "numbers of SMs");
        let point = |&sms: &u32| {
            let run = |(setup, (variant, _)): (&Setup, &(Variant, L2))| {
                Ok((variant.launch, setup.run_on(sms, options, &mut |_| ())?.0))
            };
            let (runs, uncertainty) = match self.estimate {
                Some(estimated) => {
                    let estimate = setup.estimate_on(sms, estimated.rounds(), options)?;
                    (vec![(0, estimate.results)], Some(estimate.uncertainty))
                }
                None => {
                    let runs: Vec<Result<_>> = setups.par_iter().zip(&variants).map(run).collect();
                    (runs.into_iter().collect::<Result<Vec<_>>>()?, None)
                }
            };
            let other = other_l2
                .as_ref()
                .map(|setup| setup.run_on(sms, options, &mut |_| ()));
            let other = other.transpose()?.map(|(results, _)| results);
            let isolated = Point::new(
                setup.machine(),
                sms,
                &runs,
                uncertainty,
                self.traffic,
                other.as_ref(),
            );
            let mut points: Vec<Point> = isolated.into_iter().collect();
            if let (Some(beside), [isolated]) = (&beside, points.as_slice()) {
                let run = |with| run(with).map(|(launch, results)| (launch, beside::of_first(results)));
                let runs: Vec<Result<_>> = beside.par_iter().zip(&variants).map(run).collect();
                let runs = runs.into_iter().collect::<Result<Vec<_>>>()?;
                let point = Point::new(setup.machine(), sms, &runs, None, self.traffic, None);
                points.extend(point.map(|point| point.in_conflict(isolated)));
            }
            progress.step();
            Ok(points)
        };
        let points: Vec<Result<Vec<Point>>> = global.pool()?.install(|| sms.par_iter().map(point).collect());
        let points: Vec<Point> = points.into_iter().collect::<Result<Vec<_>>>()?.concat();
        let replies = setup
            .kernels()
            .first()
            .filter(|_| self.traffic)
            .map(|kernel| Replies {
                accepting: read
                    .as_ref()
                    .is_some_and(|read| read.is_accepting(setup.machine())),
                blocks: kernel.blocks(),
            });
        let drain = match (self.traffic, &read) {
            (true, Some(read)) => Some(self.whole(setup.machine(), read)?),
            _ => None,
        };
        drop(progress);
        // A trace does not state its buffers, so L2 starts empty.
        let warm = variants.iter().all(|(_, l2)| *l2 == L2::Warm) && !is_trace(program);
        let answer = Answer::new(
            setup,
            (warm, self.l2(), self.l2_ways),
            self.estimate,
            points,
            drain,
            replies,
            beside.as_ref().and_then(|beside| beside.first()),
        );
        output.last(&answer)?;
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
        self.once.explain(global, setup)?;
        kernels::warn_outside(setup);
        Ok(Outcome::Positive)
    }
}

impl Args {
    /// Returns the content of L2 at the start.
    fn l2(&self) -> L2 {
        match self.cold {
            true => L2::Cold,
            false => self.l2.map_or(L2::Warm, L2::from),
        }
    }

    /// Returns the simulated GPU with the clock frequencies of the options.
    fn machine(&self) -> Result<Machine> {
        let mut machine = kernels::find(&self.machine)?.into_shape();
        self.clocks
            .iter()
            .for_each(|clock| clock.set(&mut machine.clocks));
        Machine::new(machine).map_err(|refusal| refusal.of_field("clock").and(" kHz").into())
    }

    /// Prepares the run `variant` of the file `program` with the content `l2` of L2, beside the kernel `other` if there
    /// is one. The file contains the program `read`, or a trace.
    fn setup(
        &self,
        program: &Path,
        read: Option<&Program>,
        variant: Variant,
        l2: L2,
        other: Option<&RunKernel>,
    ) -> Result<Setup> {
        let source = match read {
            None => KernelSource::Trace(program.file_name().unwrap_or_default().into()),
            Some(read) => KernelSource::Program(Box::new(read.clone())),
        };
        let mut kernel = self.launch.of(source);
        kernel.budget = self.budget;
        variant.apply(&mut kernel);
        let mut machine = self.machine()?.into_shape();
        let memory = &mut machine.memory;
        let within = |option: &str, own: Option<u32>, all: u32| match own {
            Some(own) if own > all => Err(Error::parameter(option, own, format!("1 to {all}"))),
            own => Ok(own.unwrap_or(all)),
        };
        memory.l2.ways = within("l2_ways", self.l2_ways, memory.l2.ways)?;
        let channels = within("channels", self.channels, memory.channels)?;
        *memory = memory
            .part(channels)
            .map_err(|refusal| refusal.of_field("channels"))?;
        let machine = Machine::new(machine)?;
        let machine = with_l2(&machine, l2)?;
        let mut shape = match other {
            None => WarpRunShape::alone(machine, kernel),
            Some(other) => beside::shape(&machine, kernel, Some(other.clone()))?,
        };
        shape.scheduler = self.scheduler;
        shape.warm = l2 == L2::Warm;
        kernels::setup(program, shape, &[]).map_err(second::blame)
    }

    /// Returns the behavior of the kernel in isolation on all SMs, with its launch parameters.
    fn whole(&self, machine: &Machine, program: &Program) -> Result<Whole> {
        let kernel = self.launch.of(KernelSource::Program(Box::new(program.clone())));
        let program = program.with(&kernel.overrides())?;
        let whole = Whole::of(machine, &program, self.limit)?;
        whole.ok_or_else(|| {
            let end = "enough cycles for a run on all SMs, also with one line per set of L2";
            Error::parameter("limit", self.limit, end)
        })
    }

    /// Returns the requested numbers of SMs. Fails if `machine` does not support all of these
    /// numbers.
    fn numbers(&self, machine: &Machine) -> Result<Vec<u32>> {
        let (all, cluster) = (machine.sms(), machine.sms_per_cluster);
        let range = self.sms.unwrap_or(SmRange::new(cluster, all, cluster));
        let numbers = range.numbers();
        numbers.iter().try_for_each(|sms| SmRange::check(machine, *sms))?;
        Ok(numbers)
    }
}
