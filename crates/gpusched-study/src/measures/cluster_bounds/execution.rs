//! Metric that computes the overestimation of the WCET bound of a kernel. It compares the bound with synthetic runs of
//! this kernel ([Aghilinasab20] §VII-B).

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::kernels::drawable;
use crate::measures::limits::{finite, within};
use crate::measures::{Files, Labels, Measure, Parameters, Row};
use gpusched_analysis::kernel_wcet::list_scheduling;
use gpusched_analysis::kernel_wcet::synthesis::Synthesizer;
use gpusched_analysis::kernel_wcet::trace::Level;
use gpusched_model::Kernel;
use gpusched_model::error::{Refusal, Result};
use gpusched_model::time::Time;

/// Generates random runs of a kernel: in isolation, and under unregulated traffic. Compares the runs with the WCET
/// bounds.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "ExecutionCase"))]
pub struct ExecutionParameters {
    /// Path of the file with the kernel. Each cluster of the kernel states `isolated` and `interference`.
    kernel: String,
    /// Number of runs in isolation. The number of runs under unregulated traffic is the same.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = MAX_RUNS)))]
    runs: u64,
    /// Published overestimations: first at Q = 0, then at Q = 1.
    #[serde(default)]
    published: Option<[f64; 2]>,
}

/// Maximum number of runs in one case.
const MAX_RUNS: u64 = 1_000_000;

/// Checked parameters of this metric, ready to generate runs.
#[derive(Debug)]
pub struct Executions {
    kernel: Kernel,
    parameters: ExecutionParameters,
}

impl Parameters for ExecutionParameters {
    const NAME: &'static str = "execution";
    const KEYS: &'static [&'static str] = &["kernel", "active_blocks", "q", "runs"];
    type Measure = Executions;

    fn prepare(self, files: &mut Files) -> Result<Executions, Refusal> {
        within("runs", self.runs, 1..=MAX_RUNS)?;
        finite(self.published.iter().flatten())?;
        let kernel: Kernel = files.read("kernel", &self.kernel)?;
        drawable(&kernel, &self.kernel)?;
        Ok(Executions {
            kernel,
            parameters: self,
        })
    }
}

impl Executions {
    /// Returns the longest execution time of `runs` generated runs. This time never exceeds the
    /// WCET bound.
    fn longest(&self, synthesizer: &Synthesizer, level: Level) -> u64 {
        let runs = (0..self.parameters.runs).into_par_iter();
        let ends = runs.map(|run| {
            let rows = synthesizer.draw(level, run);
            rows.iter()
                .map(|row| row.start.unwrap_or(0) + row.duration)
                .max()
                .unwrap_or(0)
        });
        ends.max().unwrap_or(0)
    }

    fn table(&self, level: Level, longest: Time) -> Vec<Row> {
        let bound = match level {
            Level::Isolated => list_scheduling::isolated(&self.kernel),
            Level::Interference => list_scheduling::contended(&self.kernel),
        };
        let share = bound.ns() as f64 / longest.ns().max(1) as f64 - 1.0;
        let published = self.parameters.published.map(|[alone, contended]| match level {
            Level::Isolated => alone,
            Level::Interference => contended,
        });
        let of = Labels::of("kernel", self.kernel.name().unwrap_or(""))
            .with("active_blocks", self.kernel.active_blocks())
            .with("q", level.q())
            .with("runs", self.parameters.runs);
        vec![
            of.milliseconds("longest execution", longest),
            of.milliseconds("bound", bound),
            of.decimal("overestimation", share, "share").beside(published),
        ]
    }
}

impl Measure for Executions {
    fn rows(&self, seed: u64) -> Result<Vec<Row>> {
        let synthesizer = Synthesizer::new(&self.kernel, seed)?;
        let rows = Level::ALL.into_iter().flat_map(|level| {
            let longest = self.longest(&synthesizer, level);
            self.table(level, Time::from_ns(longest))
        });
        Ok(rows.collect())
    }

    fn outline(&self, _seed: u64) -> Result<Vec<Row>> {
        let rows = Level::ALL
            .into_iter()
            .flat_map(|level| self.table(level, Time::from_ns(1)));
        Ok(rows.collect())
    }
}
