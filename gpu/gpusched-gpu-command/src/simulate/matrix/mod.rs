//! `gpusched simulate matrix`: slowdowns of kernels that share SMs, each kernel beside each other kernel.

mod report;

pub use report::Answer;

use std::path::PathBuf;
use std::str::FromStr;

use super::kernels;
use super::profile::SmRange;
use crate::simulate::beside::matrix::{Matrix, Warps};
use gpusched_cli::part::{Output, Progress, Run, named, refused, whole};
use gpusched_cli::{Global, Outcome};
use gpusched_gpu::machine::Machine;
use gpusched_gpu::program::Program;
use gpusched_gpu::scenario::LIMIT;
use gpusched_model::Scheduler;
use gpusched_model::error::{Error, Result};

/// Arguments of `gpusched simulate matrix`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Programs (JSON), at most 16
    ///
    /// A kernel runs beside every kernel of the list, also beside itself.
    #[arg(value_name = "PROGRAM", required = true, value_hint = clap::ValueHint::FilePath)]
    programs: Vec<PathBuf>,
    /// Simulated GPU: a name or a file
    #[arg(long, value_name = "MACHINE")]
    machine: String,
    /// Numbers of SMs, e.g., 4,16 or 2..30:4 [default: all]
    ///
    /// The simulated GPU has its whole L2 cache and DRAM with every number of SMs.
    #[arg(long, value_name = "RANGE", value_delimiter = ',')]
    sms: Vec<SmRange>,
    /// Warp schedulers, e.g., lrr,gto [default: scheduler of the simulated GPU]
    #[arg(long, value_delimiter = ',', value_parser = named::<Scheduler>())]
    scheduler: Vec<Scheduler>,
    /// Issue budgets of the measured and the other kernel, e.g., 1:1,1:2
    ///
    /// Each scheduler with issue budgets, such as `qaws`, runs with each pair of budgets. For `rt-paws`, the numbers are
    /// priorities.
    #[arg(long, value_name = "OWN:OTHER", value_delimiter = ',')]
    budgets: Vec<Budgets>,
    /// Scale the grid of each program from all SMs of the GPU to the number of SMs
    ///
    /// On a quarter of the SMs, a kernel then has a quarter of its blocks. Use this option for programs whose blocks all
    /// start at once, such as the programs of [Singh22].
    #[arg(long)]
    scale: bool,
    /// Contents of L2 at the start: warm, cold or both
    #[arg(long, value_enum, value_name = "CONTENT", default_value_t = Contents::Both)]
    l2: Contents,
    /// Simulate N runs of each pair with different launch times and base addresses, and report the longest run
    ///
    /// In the first run, both kernels start at cycle 0. The launch times of the other runs cover a run of the other
    /// kernel. They depend on --seed.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(1..=1000_u32))]
    vary: u32,
    /// Maximum number of core cycles of a run
    #[arg(long, value_name = "CYCLES", default_value_t = LIMIT, value_parser = whole::<u64>(1..))]
    limit: u64,
}

/// Contents of L2 at the start of the runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Contents {
    /// L2 contains the buffers of the programs.
    Warm,
    /// L2 is empty.
    Cold,
    /// Runs with both contents; the longest run counts.
    Both,
}

/// Issue budgets, such as `1:2`.
#[derive(Debug, Clone, Copy)]
struct Budgets(u32, u32);

impl FromStr for Budgets {
    type Err = String;

    fn from_str(text: &str) -> Result<Budgets, String> {
        let pair = text.split_once(':');
        let pair = pair.and_then(|(own, other)| Some(Budgets(own.parse().ok()?, other.parse().ok()?)));
        pair.ok_or_else(|| refused(text, "OWN:OTHER with two whole numbers, such as 1:2"))
    }
}

/// Maximum number of programs.
const PROGRAMS: usize = 16;

const EXAMPLE: &str = "\
The measured kernel runs once, and the other kernel repeats until the measured kernel ends. Each kernel uses at most half of the threads,
registers and shared memory of each SM, also in isolation. A slowdown is the longest time beside the other kernel, divided by the longest
time in isolation. It is no bound, and slowdowns by several kernels do not add up.

Examples:
  gpusched simulate matrix tasksets/kernels/programs/vadd.json tasksets/kernels/programs/pc.json --machine rtx2060 --sms 4
  gpusched simulate matrix tasksets/kernels/programs/singh22/vec.json tasksets/kernels/programs/singh22/pc.json --machine titanv --sms 4 --scale \\
    --scheduler lrr,qaws --budgets 1:1 -o matrix.csv";

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        let matrix = self.matrix(global)?;
        let mut output = Output::open(global)?;
        output.keep(&self.programs)?;
        let progress = Progress::of(global, matrix.len() as u64, "pairs");
        let pairs = global.pool()?.install(|| matrix.run(&|| progress.step()))?;
        drop(progress);
        output.last(&Answer::new(&matrix, &pairs))?;
        Ok(Outcome::Positive)
    }
}

impl Args {
    fn matrix(&self, global: &Global) -> Result<Matrix> {
        if self.programs.len() > PROGRAMS {
            let expected = format!("at most {PROGRAMS} programs");
            return Err(Error::parameter("PROGRAM", self.programs.len(), expected));
        }
        let machine = kernels::find(&self.machine)?;
        let read = |path: &PathBuf| match kernels::program_of(path)? {
            Some(program) => Ok(program),
            None => Err(Error::file(path, "a trace", "a program")),
        };
        let programs = self.programs.iter().map(read).collect::<Result<Vec<Program>>>()?;
        Ok(Matrix {
            sms: self.sms(&machine)?,
            warps: self.warps(&machine)?,
            victims: programs.clone(),
            others: programs,
            scaled: self.scale,
            warm: match self.l2 {
                Contents::Warm => vec![true],
                Contents::Cold => vec![false],
                Contents::Both => vec![true, false],
            },
            vary: self.vary,
            seed: global.seed(),
            limit: self.limit,
            machine,
        })
    }

    /// Returns the requested numbers of SMs.
    fn sms(&self, machine: &Machine) -> Result<Vec<u32>> {
        if self.sms.is_empty() {
            return Ok(vec![machine.sms()]);
        }
        let mut all: Vec<u32> = self.sms.iter().flat_map(|range| range.numbers()).collect();
        all.sort_unstable();
        all.dedup();
        all.iter().try_for_each(|sms| SmRange::check(machine, *sms))?;
        Ok(all)
    }

    /// Returns each scheduler, with each pair of issue budgets if it uses budgets.
    fn warps(&self, machine: &Machine) -> Result<Vec<Warps>> {
        let schedulers = match self.scheduler.as_slice() {
            [] => vec![machine.sm.scheduler.into()],
            given => given.to_vec(),
        };
        let with: Vec<bool> = schedulers
            .iter()
            .map(|scheduler: &Scheduler| scheduler.has_budgets())
            .collect();
        match (with.iter().position(|with| *with), self.budgets.first()) {
            (Some(index), None) => {
                let expected = format!(
                    "a pair of issue budgets for scheduler {}, such as 1:1",
                    schedulers[index]
                );
                return Err(Error::parameter("budgets", "none", expected));
            }
            (None, Some(Budgets(own, other))) => {
                let expected = "no budgets, because no scheduler of --scheduler uses issue budgets";
                return Err(Error::parameter("budgets", format!("{own}:{other}"), expected));
            }
            _ => {}
        }
        let warps = schedulers.into_iter().flat_map(|scheduler| {
            let budgets: Vec<Option<(u32, u32)>> = match scheduler.has_budgets() {
                true => self
                    .budgets
                    .iter()
                    .map(|Budgets(own, other)| Some((*own, *other)))
                    .collect(),
                false => vec![None],
            };
            budgets
                .into_iter()
                .map(move |budgets| Warps { scheduler, budgets })
        });
        Ok(warps.collect())
    }
}
