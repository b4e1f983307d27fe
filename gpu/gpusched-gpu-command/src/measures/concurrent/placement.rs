//! Metric that simulates the kernels of a run on given SMs, warp by warp: all kernels concurrently, and each kernel in
//! isolation.

use std::collections::BTreeMap;

use gpusched_gpu::gpu::Results;
use gpusched_gpu::scenario::Setup;
use gpusched_gpu::warp_run::IndexSet;
use gpusched_model::Refusal;
use gpusched_model::error::Result;
use gpusched_study::measures::statistics::ratio;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::bench::Bench;
use super::simulation::{prepared, response, simulated};
use super::sweep::sweep;
use super::{Files, Labels, Measure, Parameters, Row};

/// Simulates the kernels of a run concurrently, on the SMs that the run states. Also simulates each kernel in isolation on
/// these SMs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "PlacementCase"))]
pub struct PlacementParameters {
    /// Path of the file with the run. The file states the machine and the kernels.
    run: String,
    /// SMs of kernels, by name, such as "0,2". Other kernels have the SMs that the run states.
    #[serde(default)]
    sms: BTreeMap<String, String>,
    /// Name of a parameter of the programs. The kernels that have this parameter run with each value of `values`.
    #[serde(default)]
    parameter: Option<String>,
    /// Values of `parameter`.
    #[serde(default)]
    values: Vec<i64>,
}

/// Kernels on their SMs, ready for the simulation.
#[derive(Debug)]
pub struct Placement {
    /// The run for each value of the parameter.
    runs: Vec<(Option<i64>, Bench)>,
}

impl Parameters for PlacementParameters {
    const NAME: &'static str = "placement";
    const KEYS: &'static [&'static str] = &["kernel", "sm", "parameter"];
    const PARTIAL: &'static [&'static str] = &["sm", "parameter"];
    type Measure = Placement;

    fn prepare(self, files: &mut Files) -> Result<Placement, Refusal> {
        let mut bench = Bench::read(files, &self.run)?;
        for (kernel, sms) in &self.sms {
            let sms: IndexSet = sms
                .parse()
                .map_err(|message: String| Refusal::told("sms", message))?;
            place(&mut bench, kernel, sms)?;
        }
        let runs = sweep(bench, self.parameter.as_deref(), &self.values)?;
        for (_, bench) in &runs {
            let refuse = |error| Refusal::told("run", format!("{}: {error}", self.run));
            setup(bench, None).map_err(refuse)?;
        }
        Ok(Placement { runs })
    }
}

/// Time of a kernel, and of its longest block on each SM [core cycles].
#[derive(Clone, Debug)]
struct Found {
    response: u64,
    blocks: BTreeMap<usize, u64>,
}

impl Found {
    /// Returns the times of the kernel at `position` of `setup` in `results`.
    fn of(setup: &Setup, results: &Results, position: usize) -> Found {
        let mut blocks = BTreeMap::new();
        for block in results.blocks.iter().filter(|block| block.kernel == position) {
            let longest: &mut u64 = blocks.entry(block.sm).or_default();
            *longest = (*longest).max(1 + block.end.saturating_sub(block.start));
        }
        Found {
            response: response(setup, results, position),
            blocks,
        }
    }
}

/// Moves the kernel called `name` to `sms`.
fn place(bench: &mut Bench, name: &str, sms: IndexSet) -> Result<(), Refusal> {
    let index = bench.names().iter().position(|known| known == name);
    let kernel = index.and_then(|index| bench.shape_mut().kernels.get_mut(index));
    match kernel {
        Some(kernel) => {
            kernel.sms = Some(sms);
            Ok(())
        }
        None => {
            let expected = format!("one of {}", bench.names().join(", "));
            Err(Refusal::new("sms", format_args!("{name:?}"), expected))
        }
    }
}

/// Prepares the run of all kernels, or of the kernel `only`. A kernel in isolation does not repeat
/// and has no memory clients beside it.
fn setup(bench: &Bench, only: Option<usize>) -> Result<Setup> {
    let mut shape = bench.shape().clone();
    if let Some(only) = only {
        shape.kernels = shape.kernels.into_iter().skip(only).take(1).collect();
        shape.kernels.iter_mut().for_each(|kernel| kernel.repeats = false);
        shape.clients.clear();
    }
    prepared(shape)
}

impl Placement {
    fn rows_of(&self, found: &[Vec<(Found, Found)>]) -> Vec<Row> {
        let mut rows = Vec::new();
        for ((value, bench), found) in self.runs.iter().zip(found) {
            for (name, (alone, together)) in bench.names().iter().zip(found) {
                let of = Labels::of("kernel", name);
                let of = match value {
                    Some(value) => of.with("parameter", value),
                    None => of,
                };
                rows.push(of.row("time alone", alone.response, "cycles"));
                rows.push(of.row("response time", together.response, "cycles"));
                rows.push(of.decimal("slowdown", ratio(together.response, alone.response), ""));
                for (sm, own) in &alone.blocks {
                    let of = of.clone().with("sm", sm);
                    let beside = together.blocks.get(sm).copied().unwrap_or(0);
                    rows.push(of.decimal("slowdown of block", ratio(beside, *own), ""));
                }
            }
        }
        rows
    }

    fn found(bench: &Bench) -> Result<Vec<(Found, Found)>> {
        let all = setup(bench, None)?;
        let together = simulated(&all)?;
        let kernels = (0..bench.names().len()).into_par_iter().map(|kernel| {
            let only = setup(bench, Some(kernel))?;
            let alone = simulated(&only)?;
            Ok((Found::of(&only, &alone, 0), Found::of(&all, &together, kernel)))
        });
        kernels.collect::<Vec<_>>().into_iter().collect()
    }
}

impl Measure for Placement {
    fn rows(&self, _seed: u64) -> Result<Vec<Row>> {
        let found = self.runs.par_iter().map(|(_, bench)| Placement::found(bench));
        let found: Vec<Result<Vec<(Found, Found)>>> = found.collect();
        Ok(self.rows_of(&found.into_iter().collect::<Result<Vec<_>>>()?))
    }

    fn outline(&self, _seed: u64) -> Result<Vec<Row>> {
        let outline = |bench: &Bench| {
            let kernels = (0..bench.names().len()).map(|kernel| {
                let sms = bench
                    .shape()
                    .kernels
                    .get(kernel)
                    .and_then(|kernel| kernel.sms.as_ref());
                let sms = sms.map_or((0..bench.sms()).collect(), |sms| sms.indices().to_vec());
                let blocks = sms.into_iter().map(|sm| (sm as usize, 1));
                let found = Found {
                    response: 1,
                    blocks: blocks.collect(),
                };
                (found.clone(), found)
            });
            kernels.collect()
        };
        let found: Vec<_> = self.runs.iter().map(|(_, bench)| outline(bench)).collect();
        Ok(self.rows_of(&found))
    }
}
