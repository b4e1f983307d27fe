//! Metric that computes the response times of kernels that share a sub-core. It covers many issue budgets of one
//! kernel.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::budgets::budgets;
use crate::measures::{Files, Labels, Measure, Parameters, Row};
use gpusched_model::error::{Refusal, Result};
use gpusched_model::{Scheduler, WarpScenario};
use gpusched_sim::warps::subcore::{Overview, simulate};
use gpusched_study::Values;
use gpusched_study::measures::statistics::mean;

/// Simulates one scenario under several warp schedulers. Each scheduler runs with many issue budgets of one kernel.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "WarpsCase"))]
pub struct WarpsParameters {
    /// Path of the file with the scenario.
    scenario: String,
    /// Warp schedulers to compare. Default: the warp scheduler of the scenario.
    #[serde(default)]
    schedulers: Option<Vec<Scheduler>>,
    /// Name of the kernel whose issue budget varies.
    kernel: String,
    /// Issue budgets of `kernel`. A scheduler that ignores issue budgets has equal results for all issue budgets.
    budgets: Values,
}

/// Maximum number of simulations in one case.
const MOST: usize = 10_000;

/// Checked scenarios, ready for the simulation.
#[derive(Debug)]
pub struct Warps {
    /// Scenarios to simulate, each with the issue budget that it assigns to the kernel.
    scenarios: Vec<(u32, WarpScenario)>,
}

impl Parameters for WarpsParameters {
    const NAME: &'static str = "warps";
    const KEYS: &'static [&'static str] = &["kernel", "scheduler", "budget"];
    type Measure = Warps;

    fn prepare(self, files: &mut Files) -> Result<Warps, Refusal> {
        let scenario: WarpScenario = files.read("scenario", &self.scenario)?;
        let shape = scenario.shape();
        let Some(varied) = shape.kernels.iter().position(|kernel| kernel.name == self.kernel) else {
            let names: Vec<&str> = shape.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
            let expected = format!("one of {}", names.join(", "));
            return Err(Refusal::new(
                "kernel",
                format_args!("{:?}", self.kernel),
                expected,
            ));
        };
        let schedulers = self.schedulers.unwrap_or_else(|| vec![shape.scheduler]);
        let budgets = budgets(&self.budgets, &schedulers, MOST)?;
        let mut scenarios = Vec::new();
        for &scheduler in &schedulers {
            for &budget in &budgets {
                let mut shape = shape.clone();
                shape.set_scheduler(scheduler);
                if scheduler.has_budgets() {
                    shape.kernels[varied].budget = Some(budget);
                }
                let place = format!("{} under {scheduler}", self.scenario);
                let scenario = WarpScenario::new(shape).map_err(Refusal::in_file("scenario", &place))?;
                scenarios.push((budget, scenario));
            }
        }
        Ok(Warps { scenarios })
    }
}

fn measure(budget: u32, scenario: &WarpScenario) -> Result<Vec<Row>> {
    let shape = scenario.shape();
    let mut overview = Overview::default();
    simulate(scenario, &mut overview).map_err(|error| Refusal::told("", error))?;
    let of = |kernel: &str| {
        Labels::of("kernel", kernel)
            .with("scheduler", shape.scheduler)
            .with("budget", budget)
    };
    let (mut rows, mut responses) = (Vec::new(), Vec::new());
    for (kernel, found) in shape.kernels.iter().zip(overview.kernels()) {
        let response = found.finish - kernel.launch;
        rows.push(of(&kernel.name).row("response time", response, "cycles"));
        responses.push(response as f64);
    }
    let mean = mean(responses.into_iter());
    rows.push(of("all").decimal("mean response time", mean, "cycles"));
    rows.push(of("all").row("last finish", overview.cycles().0, "cycles"));
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
