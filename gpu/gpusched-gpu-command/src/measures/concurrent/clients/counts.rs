//! Metric that simulates a kernel beside growing numbers of memory clients.

use gpusched_model::Refusal;
use gpusched_model::error::Result;
use gpusched_study::measures::statistics::ratio;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::bench::Bench;
use super::simulation::{prepared, response, simulated};
use super::sweep::sweep;
use super::{Files, Labels, Measure, Parameters, Row};

/// Simulates the first kernel of a run beside the first memory clients of the run: without clients, and with each number
/// of clients in a list.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "ClientCountsCase"))]
pub struct ClientCountsParameters {
    /// Path of the file with the run. The file states the machine, the kernels and the memory clients.
    run: String,
    /// Numbers of memory clients, each from 1 to the number of clients in the run.
    clients: Vec<usize>,
    /// Maximum number of lines that each client transfers at the same time. Default: as in the run.
    #[serde(default)]
    outstanding: Option<u32>,
    /// Name of a parameter of the programs. The kernels that have this parameter run with each value of `values`.
    #[serde(default)]
    parameter: Option<String>,
    /// Values of `parameter`.
    #[serde(default)]
    values: Vec<i64>,
}

/// A kernel and memory clients, ready for the simulation.
#[derive(Debug)]
pub struct ClientCounts {
    /// The run for each value of the parameter.
    runs: Vec<(Option<i64>, Bench)>,
    clients: Vec<usize>,
}

impl Parameters for ClientCountsParameters {
    const NAME: &'static str = "client-counts";
    const KEYS: &'static [&'static str] = &["kernel", "parameter", "clients"];
    const PARTIAL: &'static [&'static str] = &["parameter"];
    type Measure = ClientCounts;

    fn prepare(self, files: &mut Files) -> Result<ClientCounts, Refusal> {
        let mut bench = Bench::read(files, &self.run)?;
        if let Some(outstanding) = self.outstanding {
            for client in &mut bench.shape_mut().clients {
                client.outstanding = outstanding;
            }
        }
        let all = bench.shape().clients.len();
        let wrong = |count: &usize| !(1..=all).contains(count);
        if self.clients.is_empty() || self.clients.iter().any(wrong) {
            let expected = format!("a list of numbers from 1 to {all}, the memory clients of the run");
            return Err(Refusal::new(
                "clients",
                format_args!("{:?}", self.clients),
                expected,
            ));
        }
        let runs = sweep(bench, self.parameter.as_deref(), &self.values)?;
        for (_, bench) in &runs {
            let refuse = |error| Refusal::told("run", format!("{}: {error}", self.run));
            prepared(bench.shape().clone()).map_err(refuse)?;
        }
        Ok(ClientCounts {
            runs,
            clients: self.clients,
        })
    }
}

/// Returns the response time of the first kernel beside the first `count` clients [core cycles].
fn beside(bench: &Bench, count: usize) -> Result<u64> {
    let mut shape = bench.shape().clone();
    shape.clients.truncate(count);
    let setup = prepared(shape)?;
    Ok(response(&setup, &simulated(&setup)?, 0))
}

impl ClientCounts {
    fn rows_of(&self, times: impl Fn(&Bench, usize) -> Result<u64> + Sync) -> Result<Vec<Row>> {
        let counts: Vec<usize> = std::iter::once(0).chain(self.clients.iter().copied()).collect();
        let mut rows = Vec::new();
        for (value, bench) in &self.runs {
            let found: Vec<Result<u64>> = counts.par_iter().map(|count| times(bench, *count)).collect();
            let found = found.into_iter().collect::<Result<Vec<u64>>>()?;
            let of = Labels::of("kernel", bench.name(0));
            let of = match value {
                Some(value) => of.with("parameter", value),
                None => of,
            };
            let alone = found.first().copied().unwrap_or(0);
            for (count, time) in counts.iter().zip(&found) {
                let of = of.clone().with("clients", count);
                rows.push(of.row("time", time, "cycles"));
                rows.push(of.decimal("slowdown", ratio(*time, alone), ""));
            }
        }
        Ok(rows)
    }
}

impl Measure for ClientCounts {
    fn rows(&self, _seed: u64) -> Result<Vec<Row>> {
        self.rows_of(beside)
    }

    fn outline(&self, _seed: u64) -> Result<Vec<Row>> {
        self.rows_of(|_, _| Ok(1))
    }
}
