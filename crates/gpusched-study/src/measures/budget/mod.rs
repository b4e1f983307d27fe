//! Metric that simulates memory bandwidth budgets Q that change at run time. The metric reports the improvement over
//! the policy NOMINAL for best-effort cores, and the development of Q over time ([Aghilinasab20] §VII-C).

mod over_time;
mod scenario;
mod statistics;

pub use over_time::OverTimeParameters;

use gpusched_model::Refusal;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use self::scenario::{Scenario, Subject, demands, offsets};
use self::statistics::{Beside, QUANTITIES, Shape, Statistics};
use super::limits::within;
use super::{Files, Measure, Parameters, Row};
use gpusched_analysis::bandwidth::{BudgetPolicy, BudgetResults};
use gpusched_model::error::Result;
use gpusched_model::{Factor, Straddling};
use gpusched_sim::regulation::{AccessPattern, BlockTimes};

/// Simulates a kernel under all budget policies, for every combination of block times, starts, access patterns and demands.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "BudgetCase"))]
pub struct BudgetParameters {
    /// Path of the file with the kernel.
    kernel: String,
    /// Number of intervals of consecutive blocks. All blocks of an interval belong to one cluster,
    /// and the clusters alternate from interval to interval. Default: the intervals in the file.
    #[serde(default)]
    intervals: Option<usize>,
    /// Slowdown of the kernel that the nominal budget allows, as a share of the WCET at Q = 0.
    #[serde(default = "super::nominal::tenth")]
    slowdown: Factor,
    /// Which blocks count as delayed, among the blocks that overlap memory time only in part. Memory time is the time
    /// when best-effort cores access memory. `end` selects the blocks at the end of each memory time. `both` also
    /// selects the blocks at the start of each memory time.
    #[serde(default)]
    straddling: Straddling,
    /// Models of the execution times of blocks.
    #[serde(default = "drawn")]
    blocks: Vec<BlockTimes>,
    /// Starts of the kernel, relative to the start of a regulation period. Each start is a time, or `random`.
    #[serde(default = "random")]
    offsets: Vec<String>,
    /// Access patterns of best-effort cores within a regulation period.
    #[serde(default = "front")]
    patterns: Vec<AccessPattern>,
    /// Memory demands of best-effort cores, as shares of a regulation period. Each demand is a name, or a number as
    /// text.
    #[serde(default = "bandwidth")]
    demands: Vec<String>,
    /// Number of runs under each budget policy.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = MAX_RUNS)))]
    runs: u64,
    /// Names of the quantities to report. Default: all quantities.
    #[serde(default)]
    quantities: Option<Vec<String>>,
    /// Path of a file with published results.
    #[serde(default)]
    published: Option<String>,
    /// Name of the kernel in the file `published`.
    #[serde(default)]
    benchmark: Option<String>,
}

/// Maximum number of runs in one case.
const MAX_RUNS: u64 = 1_000_000;

/// Number of runs in one batch. After each batch, gpusched adds the results to the statistics.
const BATCH: u64 = 64;

fn drawn() -> Vec<BlockTimes> {
    vec![BlockTimes::Drawn]
}

fn random() -> Vec<String> {
    vec!["random".to_owned()]
}

fn front() -> Vec<AccessPattern> {
    vec![AccessPattern::Front]
}

fn bandwidth() -> Vec<String> {
    vec!["bandwidth".to_owned()]
}

/// Checked parameters of this metric, ready to simulate runs.
#[derive(Debug)]
pub struct Budgets {
    subject: Subject,
    scenarios: Vec<Scenario>,
    runs: u64,
    quantities: Option<Vec<String>>,
    published: Option<(BudgetResults, String)>,
}

impl Parameters for BudgetParameters {
    const NAME: &'static str = "budget";
    const KEYS: &'static [&'static str] = &[
        "kernel", "blocks", "offset", "pattern", "demand", "share", "policy", "runs",
    ];
    type Measure = Budgets;

    fn prepare(self, files: &mut Files) -> Result<Budgets, Refusal> {
        within("runs", self.runs, 1..=MAX_RUNS)?;
        let subject = Subject::read(
            files,
            &self.kernel,
            self.intervals,
            self.slowdown,
            self.straddling,
        )?;
        let scenarios = Scenario::all(
            &self.blocks,
            &offsets("offsets", &self.offsets)?,
            &self.patterns,
            &demands("demands", &self.demands)?,
        )?;
        if let Some(quantities) = &self.quantities {
            let unknown = quantities
                .iter()
                .find(|name| !QUANTITIES.contains(&name.as_str()));
            let found = match unknown {
                Some(name) => Some(format!("\"{name}\"")),
                None => quantities.is_empty().then(|| "an empty list".to_owned()),
            };
            if let Some(found) = found {
                let expected = format!("one or more of {}", QUANTITIES.join(", "));
                return Err(Refusal::new("quantities", found, expected));
            }
        }
        for scenario in &scenarios {
            subject.simulator(scenario, 1)?;
        }
        let published = match (&self.published, self.benchmark) {
            (None, None) => None,
            (Some(path), Some(benchmark)) => {
                let results: BudgetResults = files.read("published", path)?;
                let mut known = results.results().iter();
                if !known.any(|result| result.benchmark.as_ref() == Some(&benchmark)) {
                    let found = format!("\"{benchmark}\"");
                    return Err(Refusal::new(
                        "benchmark",
                        found,
                        format_args!("a benchmark of {path}"),
                    ));
                }
                Some((results, benchmark))
            }
            _ => {
                return Err(Refusal::told(
                    "published",
                    "found only one of the fields `published` and `benchmark`, expected both fields or \
                     neither field",
                ));
            }
        };
        Ok(Budgets {
            subject,
            scenarios,
            runs: self.runs,
            quantities: self.quantities,
            published,
        })
    }
}

/// The program whose demand determines Q in [Aghilinasab20] Table IV. The paper does not name this program. gpusched
/// assumes the program with the highest demand.
const ASSUMED: (&str, &str) = ("libquantum", "SPEC");

impl Budgets {
    /// Returns three published values: the improvement, the mean of Q, and the standard deviation of Q.
    fn beside(&self, scenario: &Scenario, policy: BudgetPolicy) -> Beside {
        let Some((results, benchmark)) = &self.published else {
            return Beside::default();
        };
        let find = |demand: &str| results.find(benchmark, demand, policy);
        let own = find(&scenario.demand.name);
        let q = match scenario.demand.name == ASSUMED.0 {
            true => find(ASSUMED.1),
            false => own,
        };
        let share = |factor: Option<Factor>| factor.map(Factor::as_f64);
        Beside {
            improvement: share(own.and_then(|result| result.improvement)),
            q_mean: share(q.and_then(|result| result.q_mean)),
            q_std: share(q.and_then(|result| result.q_std)),
        }
    }

    fn table(&self, of: impl Fn(usize) -> Statistics) -> Vec<Row> {
        let scenarios = self.scenarios.iter().enumerate();
        let rows = scenarios.flat_map(|(index, scenario)| {
            let labels = scenario
                .labels()
                .with("kernel", self.subject.name())
                .with("runs", self.runs);
            let mut rows = of(index).rows(&labels, |policy| self.beside(scenario, policy));
            if let Some(quantities) = &self.quantities {
                rows.retain(|row| quantities.iter().any(|name| name == row.quantity));
            }
            rows
        });
        rows.collect()
    }
}

impl Measure for Budgets {
    fn rows(&self, seed: u64) -> Result<Vec<Row>> {
        let allocators = self.subject.allocators()?;
        let mut statistics = vec![self.subject.statistics(); self.scenarios.len()];
        // Scenarios that differ only in access pattern or demand use equal runs of the kernel.
        let mut first = 0;
        while let Some(head) = self.scenarios.get(first) {
            let group = self
                .scenarios
                .iter()
                .skip(first)
                .take_while(|other| head.shares_runs(other));
            let simulators = group.map(|scenario| self.subject.simulator(scenario, seed));
            let simulators = simulators
                .collect::<Result<Vec<_>, Refusal>>()
                .map_err(Subject::explain)?;
            let Some(source) = simulators.first() else { break };
            let mut done = 0;
            while done < self.runs {
                let end = self.runs.min(done.saturating_add(BATCH));
                let batch: Vec<Vec<Vec<Shape>>> = (done..end)
                    .into_par_iter()
                    .map(|run| {
                        let execution = source.execution(run);
                        let shapes = simulators.iter().map(|simulator| {
                            let under = allocators.iter().map(|(policy, allocator)| {
                                Shape::of(simulator.run(&execution, *policy, &mut allocator.clone(), true))
                            });
                            under.collect()
                        });
                        shapes.collect()
                    })
                    .collect();
                for shapes in batch {
                    for (statistics, shapes) in statistics.iter_mut().skip(first).zip(&shapes) {
                        statistics.add(shapes);
                    }
                }
                done = end;
            }
            first += simulators.len();
        }
        Ok(self.table(|index| {
            statistics
                .get(index)
                .cloned()
                .unwrap_or_else(|| self.subject.statistics())
        }))
    }

    fn outline(&self, _seed: u64) -> Result<Vec<Row>> {
        Ok(self.table(|_| self.subject.statistics()))
    }
}
