//! Metric that computes the response times of the kernels of a scenario. Each kernel runs once with the other kernels
//! concurrently, and once in isolation.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::placement::run;
use crate::measures::limits::finite;
use crate::measures::statistics::ratio;
use crate::measures::{Files, Labels, Measure, Parameters, Row};
use gpusched_model::Scenario;
use gpusched_model::error::{Refusal, Result};
use gpusched_model::scenario::BlockScheduler;
use gpusched_model::time::Time;
use gpusched_sim::blocks::Record;

/// Simulates one scenario, and each kernel of the scenario in isolation.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "ScenarioCase"))]
pub struct ScenarioParameters {
    /// Path of the file with the scenario.
    scenario: String,
    /// Block scheduler, which assigns blocks to SMs. Default: the block scheduler of the scenario.
    #[serde(default)]
    block_scheduler: Option<BlockScheduler>,
    /// Published slowdown of the first kernel in the scenario.
    #[serde(default)]
    published: Option<f64>,
}

/// A scenario with checked parameters, ready for the simulation.
#[derive(Debug)]
pub struct ScenarioMeasure {
    scenario: Scenario,
    published: Option<f64>,
}

impl Parameters for ScenarioParameters {
    const NAME: &'static str = "scenario";
    const KEYS: &'static [&'static str] = &["kernel", "block_scheduler"];
    type Measure = ScenarioMeasure;

    fn prepare(self, files: &mut Files) -> Result<ScenarioMeasure, Refusal> {
        finite(&self.published)?;
        let scenario: Scenario = files.read("scenario", &self.scenario)?;
        let mut shape = scenario.shape().clone();
        shape.block_scheduler = self.block_scheduler.unwrap_or(shape.block_scheduler);
        let scenario = Scenario::new(shape).map_err(Refusal::in_file("scenario", &self.scenario))?;
        Ok(ScenarioMeasure {
            scenario,
            published: self.published,
        })
    }
}

impl ScenarioMeasure {
    /// Simulates `kernel` without other kernels, without copies and without CPU cores, and returns the record.
    fn alone(&self, kernel: usize, seed: u64) -> Result<Record> {
        let mut shape = self.scenario.shape().clone();
        shape.kernels = vec![shape.kernels[kernel].clone()];
        shape.copies.clear();
        shape.cpu = None;
        run(shape, seed)
    }
}

impl Measure for ScenarioMeasure {
    fn rows(&self, seed: u64) -> Result<Vec<Row>> {
        let shape = self.scenario.shape();
        let together = run(shape.clone(), seed)?;
        let mut rows = Vec::new();
        let response = |record: &Record, kernel: usize, launch: usize| {
            let end = record.kernels.get(kernel).map_or(0, |kernel| kernel.end_ns.ns());
            end.saturating_sub(shape.kernels[launch].launch.ns())
        };
        let scheduler: &'static str = shape.block_scheduler.into();
        for (index, kernel) in shape.kernels.iter().enumerate() {
            let name = kernel.name.clone().unwrap_or_else(|| index.to_string());
            let of = Labels::of("kernel", name).with("block_scheduler", scheduler);
            let blocks = together.blocks.iter().filter(|block| block.kernel == index);
            let sms: BTreeSet<u32> = blocks.map(|block| block.sm).collect();
            let beside = response(&together, index, index);
            let alone = response(&self.alone(index, seed)?, 0, index);
            let published = self.published.filter(|_| index == 0);
            rows.push(of.milliseconds("response time", Time::from_ns(beside)));
            rows.push(of.decimal("slowdown", ratio(beside, alone), "").beside(published));
            rows.push(of.row("SMs", sms.len(), ""));
        }
        let used: BTreeSet<u32> = together.blocks.iter().map(|block| block.sm).collect();
        let idle = shape.platform.shape().sms as usize - used.len();
        let all = Labels::of("kernel", "all").with("block_scheduler", scheduler);
        rows.push(all.row("SMs without a block", idle, ""));
        Ok(rows)
    }
}
