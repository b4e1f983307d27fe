//! Metric that lists the memory bandwidth budget Q over time, for one run of a kernel under each budget policy
//! ([Aghilinasab20] Fig. 3).

use gpusched_model::Refusal;
use serde::{Deserialize, Serialize};

use super::scenario::{Scenario, Subject, demands, offsets};
use crate::measures::{Files, Measure, Parameters, Row};
use gpusched_analysis::bandwidth::BudgetPolicy;
use gpusched_model::error::Result;
use gpusched_model::{Factor, Straddling};
use gpusched_sim::regulation::{AccessPattern, BlockTimes};

/// Lists the regulation periods of the first run of a kernel, under each budget policy.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "BudgetOverTimeCase"))]
pub struct OverTimeParameters {
    /// Path of the file with the kernel.
    kernel: String,
    /// Number of intervals of consecutive blocks. All blocks of an interval belong to one cluster,
    /// and the clusters alternate from interval to interval. Default: the intervals in the file.
    #[serde(default)]
    intervals: Option<usize>,
    /// Slowdown of the kernel that the nominal budget allows, as a share of the WCET at Q = 0.
    #[serde(default = "crate::measures::nominal::tenth")]
    slowdown: Factor,
    /// Which blocks count as delayed, among the blocks that overlap memory time only in part. Memory time is the time
    /// when best-effort cores access memory. `end` selects the blocks at the end of each memory time. `both` also
    /// selects the blocks at the start of each memory time.
    #[serde(default)]
    straddling: Straddling,
    /// Model of the execution times of blocks.
    #[serde(default = "drawn")]
    blocks: BlockTimes,
    /// Start of the kernel, relative to the start of a regulation period. The start is a time, or `random`.
    #[serde(default = "random")]
    offset: String,
    /// Access pattern of best-effort cores within a regulation period.
    #[serde(default)]
    pattern: AccessPattern,
    /// Memory demand of best-effort cores, as a share of a regulation period. The demand is a name, or a number as
    /// text.
    #[serde(default = "bandwidth")]
    demand: String,
}

fn drawn() -> BlockTimes {
    BlockTimes::Drawn
}

fn random() -> String {
    "random".to_owned()
}

fn bandwidth() -> String {
    "bandwidth".to_owned()
}

/// One run with checked parameters, ready for the simulation.
#[derive(Debug)]
pub struct BudgetOverTime {
    subject: Subject,
    scenario: Scenario,
}

impl Parameters for OverTimeParameters {
    const NAME: &'static str = "budget-over-time";
    const KEYS: &'static [&'static str] = &[
        "kernel", "blocks", "offset", "pattern", "demand", "share", "policy", "period",
    ];
    type Measure = BudgetOverTime;

    fn prepare(self, files: &mut Files) -> Result<BudgetOverTime, Refusal> {
        let subject = Subject::read(
            files,
            &self.kernel,
            self.intervals,
            self.slowdown,
            self.straddling,
        )?;
        let offsets = offsets("offset", &[self.offset])?;
        let demands = demands("demand", &[self.demand])?;
        let scenarios = Scenario::all(&[self.blocks], &offsets, &[self.pattern], &demands)?;
        let first = scenarios.into_iter().next();
        let scenario = first.ok_or_else(|| Refusal::new("", "no scenario", "one scenario"))?;
        subject.simulator(&scenario, 1)?;
        Ok(BudgetOverTime { subject, scenario })
    }
}

impl BudgetOverTime {
    fn row(&self, policy: BudgetPolicy, period: u64, q: f64) -> Row {
        self.scenario
            .labels()
            .with("kernel", self.subject.name())
            .with("policy", policy)
            .with("period", period)
            .decimal("q", q, "share")
    }
}

impl Measure for BudgetOverTime {
    fn rows(&self, seed: u64) -> Result<Vec<Row>> {
        let simulator = self
            .subject
            .simulator(&self.scenario, seed)
            .map_err(Subject::explain)?;
        let execution = simulator.execution(0);
        let mut rows = Vec::new();
        for (policy, mut allocator) in self.subject.allocators()? {
            let run = simulator.run(&execution, policy, &mut allocator, true);
            let periods = (0..).zip(run.periods);
            rows.extend(periods.map(|(period, of)| self.row(policy, period, of.q)));
        }
        Ok(rows)
    }

    /// Returns rows with arbitrary numbers, for the maximum number of regulation periods of a run.
    fn outline(&self, _seed: u64) -> Result<Vec<Row>> {
        let policies = BudgetPolicy::ALL.into_iter();
        let rows =
            policies.flat_map(|policy| (0..self.subject.periods()).map(move |period| (policy, period)));
        Ok(rows
            .map(|(policy, period)| self.row(policy, period, 0.0))
            .collect())
    }
}
