//! Metric that computes the slowdown of kernels beside other kernels on the same SMs.

use gpusched_gpu::machine::Machine;
use gpusched_gpu::program::Program;
use gpusched_model::Scheduler;
use gpusched_model::error::{Refusal, Result};
use gpusched_study::Values;
use gpusched_study::measures::limits::combinations;
use serde::{Deserialize, Serialize};

use super::budgets::budgets;
use crate::measures::{Files, Labels, Measure, Parameters, Row};
use crate::simulate::beside::matrix::{Matrix, Pair, Warps};

/// Simulates each kernel of a list beside each kernel of another list. Both kernels use half of each SM, and the other
/// kernel repeats until the measured kernel ends.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "BesideCase"))]
pub struct BesideParameters {
    /// Name of the built-in simulated GPU that executes the kernels.
    machine: String,
    /// Paths of the files with the programs of the measured kernels.
    programs: Vec<String>,
    /// Paths of the files with the programs of the other kernels. Default: `programs`.
    #[serde(default)]
    others: Option<Vec<String>>,
    /// Numbers of SMs on which both kernels run.
    sms: Vec<u32>,
    /// Whether the grid of a program is for all SMs of the GPU. Then the grid is scaled to the number of SMs.
    #[serde(default)]
    scale: bool,
    /// Warp schedulers to compare. Default: the warp scheduler of the GPU.
    #[serde(default)]
    schedulers: Vec<Scheduler>,
    /// Issue budgets of the measured kernel. The other kernel has issue budget 1. Default: 1.
    #[serde(default)]
    budgets: Option<Values>,
    /// Number of runs of each pair with different launch times and addresses, for each content of L2. Default: 1.
    #[serde(default = "one")]
    vary: u32,
}

fn one() -> u32 {
    1
}

/// Maximum number of pairs in one case.
const MOST: usize = 1_000;

/// Maximum length of a simulation [core cycles]. gpusched aborts longer simulations.
const LIMIT: u64 = 100_000_000;

/// Kernels with checked parameters, ready for the simulation.
#[derive(Debug)]
pub struct Beside(Matrix);

impl Parameters for BesideParameters {
    const NAME: &'static str = "beside";
    const KEYS: &'static [&'static str] = &["kernel", "other", "sms", "scheduler", "budget"];
    const PARTIAL: &'static [&'static str] = &["other", "budget"];
    type Measure = Beside;

    fn prepare(self, files: &mut Files) -> Result<Beside, Refusal> {
        let machine = Machine::named(&self.machine).ok_or_else(|| {
            let expected = format!("one of {}", Machine::names());
            Refusal::new("machine", format_args!("{:?}", self.machine), expected)
        })?;
        let mut read = |field: &'static str, paths: &[String]| {
            let programs = paths.iter().map(|path| files.read(field, path));
            let programs = programs.collect::<Result<Vec<Program>, Refusal>>()?;
            match programs.is_empty() {
                true => Err(Refusal::new(field, "an empty list", "at least one program")),
                false => Ok(programs),
            }
        };
        let victims = read("programs", &self.programs)?;
        let others = match &self.others {
            Some(others) => read("others", others)?,
            None => victims.clone(),
        };
        let (all, cluster) = (machine.sms(), machine.sms_per_cluster);
        let wrong = |sms: &&u32| !(1..=all).contains(*sms) || !sms.is_multiple_of(cluster);
        if self.sms.is_empty() || self.sms.iter().any(|sms| wrong(&sms)) {
            let expected = format!("a list of multiples of {cluster} from {cluster} to {all}");
            return Err(Refusal::new("sms", format_args!("{:?}", self.sms), expected));
        }
        if !(1..=1000).contains(&self.vary) {
            return Err(Refusal::new("vary", self.vary, "from 1 to 1000"));
        }
        let schedulers = match self.schedulers.is_empty() {
            true => vec![machine.sm.scheduler.into()],
            false => self.schedulers,
        };
        let budgets = match &self.budgets {
            Some(given) => budgets(given, &schedulers, MOST)?,
            None => vec![1],
        };
        let warps = schedulers.iter().flat_map(|scheduler| {
            let count = if scheduler.has_budgets() { budgets.len() } else { 1 };
            let budgets = budgets.iter().take(count).map(|budget| (*budget, 1));
            budgets.map(|budgets| Warps {
                scheduler: *scheduler,
                budgets: scheduler.has_budgets().then_some(budgets),
            })
        });
        let warps: Vec<Warps> = warps.collect();
        let sizes = [warps.len(), self.sms.len(), victims.len(), others.len()];
        combinations("programs", "pairs of kernels", &sizes, MOST)?;
        Ok(Beside(Matrix {
            machine,
            victims,
            others,
            sms: self.sms,
            warps,
            scaled: self.scale,
            warm: vec![true, false],
            vary: self.vary,
            seed: 0,
            limit: LIMIT,
        }))
    }
}

impl Beside {
    fn rows_of(&self, pairs: &[Pair]) -> Vec<Row> {
        let Matrix { victims, others, .. } = &self.0;
        let name = |programs: &[Program], index: usize| {
            programs.get(index).map_or(String::new(), |of| of.name.clone())
        };
        let rows = pairs.iter().flat_map(|pair| {
            let of = Labels::of("kernel", name(victims, pair.victim)).with("sms", pair.sms);
            let of = of.with("scheduler", pair.warps.scheduler);
            let of = match pair.warps.budgets {
                Some((budget, _)) => of.with("budget", budget),
                None => of,
            };
            let beside = of.clone().with("other", name(others, pair.other));
            let alone = (pair.other == 0).then(|| of.row("time alone", pair.isolated, "cycles"));
            let slowdown = pair.beside as f64 / pair.isolated.max(1) as f64;
            alone.into_iter().chain([
                beside.row("time", pair.beside, "cycles"),
                beside.decimal("slowdown", slowdown, ""),
            ])
        });
        rows.collect()
    }
}

impl Measure for Beside {
    fn rows(&self, seed: u64) -> Result<Vec<Row>> {
        let matrix = Matrix {
            seed,
            ..self.0.clone()
        };
        Ok(self.rows_of(&matrix.run(&|| ())?))
    }

    fn outline(&self, _seed: u64) -> Result<Vec<Row>> {
        Ok(self.rows_of(&self.0.outline()))
    }
}
