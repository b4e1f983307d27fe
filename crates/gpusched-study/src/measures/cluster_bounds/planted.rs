//! Metric that measures how well the clustering algorithm finds known clusters in traces ([Aghilinasab20] §IV-A).

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::kernels::{alternating, drawable};
use crate::measures::limits::within;
use crate::measures::statistics::ratio;
use crate::measures::{Files, Labels, Measure, Parameters, Row};
use gpusched_analysis::kernel_wcet::clustering::{Clustering, Options};
use gpusched_analysis::kernel_wcet::synthesis::Synthesizer;
use gpusched_analysis::kernel_wcet::trace::{Level, MAX_SAMPLES, Recorder, Trace};
use gpusched_model::Kernel;
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::kernel::Interval;

/// Generates traces from a kernel, and compares the clusters found in each trace with the clusters of the kernel.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "PlantedCase"))]
pub struct PlantedParameters {
    /// Path of the file with the kernel. Each cluster of the kernel states `isolated` and `interference`.
    kernel: String,
    /// Number of intervals of consecutive blocks. All blocks of an interval belong to one cluster,
    /// and the clusters alternate from interval to interval. Default: the intervals in the file.
    #[serde(default)]
    intervals: Option<usize>,
    /// Number of runs in isolation in each trace. Each trace also contains one run under
    /// interference.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = MAX_SAMPLES)))]
    runs: usize,
    /// Number of traces. Each trace has its own random numbers.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = MAX_TRACES)))]
    traces: u64,
}

/// Maximum number of traces in one case.
const MAX_TRACES: u64 = 1000;

/// Known clusters with checked parameters, ready for the clustering.
#[derive(Debug)]
pub struct Planted {
    kernel: Kernel,
    runs: usize,
    traces: u64,
}

impl Parameters for PlantedParameters {
    const NAME: &'static str = "planted";
    const KEYS: &'static [&'static str] = &["kernel", "runs", "trace"];
    type Measure = Planted;

    fn prepare(self, files: &mut Files) -> Result<Planted, Refusal> {
        within("runs", self.runs, 1..=MAX_SAMPLES)?;
        within("traces", self.traces, 1..=MAX_TRACES)?;
        let kernel = alternating(files, &self.kernel, self.intervals)?;
        drawable(&kernel, &self.kernel)?;
        Ok(Planted {
            kernel,
            runs: self.runs,
            traces: self.traces,
        })
    }
}

impl Planted {
    /// Returns the rows for the trace with number `index`.
    fn find(&self, seed: u64, index: u64) -> Result<Vec<Row>> {
        let synthesizer = Synthesizer::new(&self.kernel, seed.wrapping_add(index))?;
        let trace = self.trace(&synthesizer, seed)?;
        let found = Clustering::new(&trace, &Options::default())?;
        let right = right(synthesizer.intervals(), found.assignment());
        Ok(self.table(
            index,
            found.clusters(),
            found.intervals().len(),
            ratio(right as u64, self.kernel.blocks()),
        ))
    }

    fn trace(&self, synthesizer: &Synthesizer, seed: u64) -> Result<Trace> {
        let mut recorder = Recorder::new(self.runs, seed);
        let isolated = (0..self.runs as u64).map(|run| (Level::Isolated, run));
        for (level, run) in isolated.chain([(Level::Interference, 0)]) {
            for row in synthesizer.draw(level, run) {
                recorder.row(&row).map_err(Error::Internal)?;
            }
        }
        recorder.end_file().map_err(Error::Internal)?;
        recorder.finish()
    }

    fn table(&self, index: u64, clusters: usize, intervals: usize, right: f64) -> Vec<Row> {
        let of = Labels::of("kernel", self.kernel.name().unwrap_or(""))
            .with("runs", self.runs)
            .with("trace", index);
        vec![
            of.row("clusters found", clusters, ""),
            of.row("intervals found", intervals, ""),
            of.decimal("blocks right", right, "share"),
        ]
    }
}

/// Returns the number of correctly clustered blocks. The function matches each known cluster with the found cluster
/// that contains the largest number of its blocks. These blocks are correctly clustered.
fn right(intervals: &[Interval], assignment: &[usize]) -> usize {
    let planted = intervals
        .iter()
        .flat_map(|interval| (interval.first..=interval.last).map(|_| interval.cluster));
    let mut counts: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (planted, &found) in planted.zip(assignment) {
        *counts.entry((planted, found)).or_default() += 1;
    }
    let mut best: BTreeMap<usize, usize> = BTreeMap::new();
    for ((planted, _), count) in counts {
        let most = best.entry(planted).or_default();
        *most = count.max(*most);
    }
    best.values().sum()
}

impl Measure for Planted {
    fn rows(&self, seed: u64) -> Result<Vec<Row>> {
        let traces = (0..self.traces).into_par_iter();
        let rows: Result<Vec<Vec<Row>>> = traces.map(|index| self.find(seed, index)).collect();
        Ok(rows?.concat())
    }

    fn outline(&self, _seed: u64) -> Result<Vec<Row>> {
        Ok((0..self.traces)
            .flat_map(|index| self.table(index, 1, 1, 1.0))
            .collect())
    }
}
