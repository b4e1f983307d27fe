//! Q over time: one run under each policy ([Aghilinasab20] Fig. 3).

use gpusched_model::Refusal;
use serde::{Deserialize, Serialize};

use super::scenario::{Scenario, Subject, demands, offsets};
use crate::measures::{Files, Measure, Parameters, Row};
use gpusched_analysis::bandwidth::BudgetPolicy;
use gpusched_model::error::Result;
use gpusched_model::{Factor, Straddling};
use gpusched_sim::regulation::{AccessPattern, BlockTimes};

/// The periods of the first run of a kernel under all policies.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "BudgetOverTimeCase")]
pub struct OverTimeParameters {
    /// The file with the kernel.
    kernel: String,
    /// In how many intervals its clusters alternate, in place of its own.
    #[serde(default)]
    intervals: Option<usize>,
    /// The slowdown that the nominal budget is for.
    #[serde(default = "crate::measures::nominal::tenth")]
    slowdown: Factor,
    /// Which blocks count as hit although memory time covers them in part only.
    #[serde(default)]
    straddling: Straddling,
    /// How long blocks take.
    #[serde(default = "drawn")]
    blocks: BlockTimes,
    /// When the kernel starts after the beginning of a period: a time, or `random`.
    #[serde(default = "random")]
    offset: String,
    /// When in a period best-effort cores access memory.
    #[serde(default)]
    pattern: AccessPattern,
    /// In which share of a period they want to: a name, or a number as text.
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

/// A run, ready to be simulated.
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
        let scenario = first.ok_or_else(|| Refusal::new("", "no scenario", "one"))?;
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

    /// As many periods as a run may have.
    fn outline(&self, _seed: u64) -> Result<Vec<Row>> {
        let policies = BudgetPolicy::ALL.into_iter();
        let rows =
            policies.flat_map(|policy| (0..self.subject.periods()).map(move |period| (policy, period)));
        Ok(rows
            .map(|(policy, period)| self.row(policy, period, 0.0))
            .collect())
    }
}
