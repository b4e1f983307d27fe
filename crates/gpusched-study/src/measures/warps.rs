//! Response times of kernels that share a sub-core against the budget of one of them.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Files, Measure, Parameters, Refusal, Row};
use crate::axis::Values;
use gpusched_model::error::{Error, Result};
use gpusched_model::{Factor, Scheduler, WarpScenario};
use gpusched_warp::subcore::{Overview, simulate};

/// One scenario under some schedulers, and under each of them for many budgets of one kernel.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "WarpsCase")]
pub struct WarpsParameters {
    /// The file with the scenario.
    scenario: String,
    /// Which warp issues next, if not as the scenario says.
    #[serde(default)]
    schedulers: Option<Vec<Scheduler>>,
    /// The name of the kernel whose budget varies.
    kernel: String,
    /// Its budgets. Under schedulers that have none the values are the same for all of them.
    budgets: Values,
}

/// The most simulations of one case.
const MOST: usize = 10_000;

/// Scenarios, ready to be simulated.
#[derive(Debug)]
pub struct Warps {
    /// With the budget that varies.
    scenarios: Vec<(u32, WarpScenario)>,
}

impl Parameters for WarpsParameters {
    const NAME: &'static str = "warps";
    const KEYS: &'static [&'static str] = &["kernel", "scheduler", "budget"];
    type Measure = Warps;

    fn prepare(self, files: &mut Files) -> Result<Warps, Refusal> {
        let scenario: WarpScenario = files
            .read(&self.scenario)
            .map_err(|message| Refusal::new("scenario", message))?;
        let shape = scenario.shape();
        let Some(varied) = shape.kernels.iter().position(|kernel| kernel.name == self.kernel) else {
            let names: Vec<&str> = shape.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
            let message = format!("found {:?}, expected one of {}", self.kernel, names.join(", "));
            return Err(Refusal::new("kernel", message));
        };
        let schedulers = self.schedulers.unwrap_or_else(|| vec![shape.scheduler]);
        if schedulers.is_empty() {
            return Err(Refusal::new(
                "schedulers",
                "found an empty list, expected at least one",
            ));
        }
        let budgets: Vec<u32> = self
            .budgets
            .as_slice()
            .iter()
            .map(|&budget| whole(budget))
            .collect::<Result<_, _>>()?;
        let count = schedulers.len().saturating_mul(budgets.len());
        if count > MOST {
            let message = format!("found {count} budgets of all schedulers, expected at most {MOST}");
            return Err(Refusal::new("budgets", message));
        }
        let mut scenarios = Vec::new();
        for &scheduler in &schedulers {
            for &budget in &budgets {
                let mut shape = shape.clone();
                shape.set_scheduler(scheduler);
                if scheduler.has_budgets() {
                    shape.kernels[varied].budget = Some(budget);
                }
                let scenario = WarpScenario::new(shape).map_err(|error| {
                    Refusal::new(
                        "scenario",
                        format!("{} under {scheduler}: {error}", self.scenario),
                    )
                })?;
                scenarios.push((budget, scenario));
            }
        }
        Ok(Warps { scenarios })
    }
}

pub(super) fn whole(budget: Factor) -> Result<u32, Refusal> {
    let (numerator, denominator) = budget.ratio();
    let quotient = u32::try_from(numerator / denominator);
    match quotient {
        Ok(quotient) if numerator % denominator == 0 => Ok(quotient),
        _ => {
            let message = format!("found {budget}, expected whole numbers");
            Err(Refusal::new("budgets", message))
        }
    }
}

fn measure(budget: u32, scenario: &WarpScenario) -> Result<Vec<Row>> {
    let shape = scenario.shape();
    let mut overview = Overview::default();
    simulate(scenario, &mut overview).map_err(|error| Error::Usage(error.to_string()))?;
    let row = |kernel: &str, quantity, value: String| {
        Row::new(quantity, value, "cycles")
            .with("kernel", kernel)
            .with("scheduler", shape.scheduler)
            .with("budget", budget)
    };
    let (mut rows, mut sum) = (Vec::new(), 0);
    for (kernel, found) in shape.kernels.iter().zip(overview.kernels()) {
        let response = found.finish - kernel.launch;
        sum += response;
        rows.push(row(&kernel.name, "response time", response.to_string()));
    }
    let mean = sum as f64 / shape.kernels.len() as f64;
    rows.push(row("all", "mean response time", format!("{mean:.6}")));
    rows.push(row("all", "last finish", overview.cycles().0.to_string()));
    Ok(rows)
}

impl Measure for Warps {
    fn rows(&self, _seed: u64) -> Result<Vec<Row>> {
        let scenarios = self.scenarios.par_iter();
        let rows: Result<Vec<Vec<Row>>> = scenarios
            .map(|(budget, scenario)| measure(*budget, scenario))
            .collect();
        Ok(rows?.concat())
    }
}
