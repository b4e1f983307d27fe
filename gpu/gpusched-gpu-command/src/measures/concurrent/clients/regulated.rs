//! Metric that simulates a kernel beside regulated memory clients, and compares its time with the bound of
//! [Aghilinasab20] over the memory bandwidth budget Q.

use gpusched_analysis::kernel_wcet::Estimator;
use gpusched_gpu::gpu::Results;
use gpusched_gpu::warp_run::{RequestBudget, WarpRunShape};
use gpusched_model::error::Result;
use gpusched_model::time::Time;
use gpusched_model::{Cluster, Factor, Kernel, Refusal};
use gpusched_study::Values;
use gpusched_study::measures::statistics::ratio;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::bench::Bench;
use super::policies::PolicyRuns;
use super::runs::{Runs, share, simulate};
use super::simulation::{LIMIT, prepared};
use super::{Files, Labels, Measure, Parameters, Row};

/// Simulates the only kernel of a run beside the memory clients of the run, for each budget Q. Also computes the bound
/// G(Q) from the longest times of a thread block.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "RegulatedClientsCase"))]
pub struct RegulatedClientsParameters {
    /// Path of the file with the run. The file states the machine, one kernel and the memory clients.
    run: String,
    /// Values of Q in ascending order, from 0 to 1. In each period, a client may send the share Q of the requests that it
    /// sends at most in a period without the kernel and without regulation.
    q: Values,
    /// Length of a regulation period [core cycles].
    period: u64,
    /// Number of different start times of the kernel in a period; the longest time counts. Default: 1.
    #[serde(default = "one")]
    starts: u64,
    /// Also run each budget policy, with the nominal budget of this slowdown: the largest Q with which G(Q) is at most
    /// 1 + `slowdown` times G(0). Default: no policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    slowdown: Option<Factor>,
}

fn one() -> u64 {
    1
}

/// When clients spend their budgets.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Pattern {
    /// All clients spend their budgets as fast as possible from the start of the period: the worst case of Hypothesis 1
    /// of [Aghilinasab20].
    Together,
    /// The periods of the clients start at different times.
    Shifted,
    /// The requests of each client are evenly distributed over the period.
    Spread,
}

const PATTERNS: [(&str, Pattern); 3] = [
    ("together", Pattern::Together),
    ("shifted", Pattern::Shifted),
    ("spread", Pattern::Spread),
];

/// A kernel and regulated memory clients, ready for the simulation.
#[derive(Debug)]
pub struct RegulatedClients {
    runs: Runs,
    q: Vec<Factor>,
    slowdown: Option<Factor>,
}

impl Parameters for RegulatedClientsParameters {
    const NAME: &'static str = "regulated-clients";
    const KEYS: &'static [&'static str] = &["kernel", "pattern", "q", "policy"];
    const PARTIAL: &'static [&'static str] = &["pattern", "q", "policy"];
    type Measure = RegulatedClients;

    fn prepare(self, files: &mut Files) -> Result<RegulatedClients, Refusal> {
        let bench = Bench::read(files, &self.run)?;
        let (kernels, clients) = (bench.shape().kernels.len(), bench.shape().clients.len());
        if kernels != 1 || clients == 0 {
            let found = format!("{kernels} kernels and {clients} memory clients");
            return Err(Refusal::new(
                "run",
                found,
                "one kernel and at least one memory client",
            ));
        }
        let q = self.q.as_slice();
        if q.last().is_some_and(|last| *last > Factor::ONE) || q.windows(2).any(|pair| pair[0] > pair[1]) {
            return Err(Refusal::new(
                "q",
                format_args!("{q:?}"),
                "ascending numbers from 0 to 1",
            ));
        }
        if !(1..=LIMIT / 10).contains(&self.period) {
            let expected = format!("from 1 to {}", LIMIT / 10);
            return Err(Refusal::new("period", self.period, expected));
        }
        if !(1..=1000).contains(&self.starts) || self.starts > self.period {
            return Err(Refusal::new(
                "starts",
                self.starts,
                "from 1 to 1000, and at most `period`",
            ));
        }
        let runs = Runs {
            bench,
            period: self.period,
            starts: self.starts,
        };
        let refuse = |error| Refusal::told("run", format!("{}: {error}", self.run));
        prepared(runs.unregulated(0)).map_err(refuse)?;
        Ok(RegulatedClients {
            runs,
            q: q.to_vec(),
            slowdown: self.slowdown,
        })
    }
}

/// Returns the longest time of a block in `results` [core cycles].
fn longest(results: &Results) -> u64 {
    let times = results.blocks.iter().map(|block| 1 + block.end - block.start);
    times.max().unwrap_or(1)
}

/// Returns the largest number of blocks that run at the same time.
fn active(results: &Results) -> u32 {
    let starts = results.blocks.iter().map(|block| (block.start, 1));
    let ends = results.blocks.iter().map(|block| (block.end + 1, -1));
    let mut changes: Vec<(u64, i64)> = starts.chain(ends).collect();
    changes.sort_unstable();
    let mut running = 0;
    let counts = changes.into_iter().map(|(_, change)| {
        running += change;
        running
    });
    u32::try_from(counts.max().unwrap_or(1)).unwrap_or(1).max(1)
}

/// The times of one kernel in all runs [core cycles].
struct Found {
    /// Largest number of requests of each client in a period.
    most: Vec<u64>,
    e0: u64,
    e1: u64,
    active: u32,
    alone: u64,
    unregulated: u64,
    /// Time for each pattern and each Q.
    times: Vec<Vec<u64>>,
    policies: Option<PolicyRuns>,
}

impl RegulatedClients {
    /// Returns the run with the share `q` of the requests in `most`.
    fn regulated(&self, most: &[u64], q: Factor, pattern: Pattern, start: u64) -> WarpRunShape {
        let mut shape = self.runs.unregulated(start);
        let count = shape.clients.len() as u64;
        for ((index, client), most) in (0..).zip(&mut shape.clients).zip(most) {
            let requests = share(q.ratio(), *most);
            let phase = match pattern {
                Pattern::Shifted => self.runs.period * index / count,
                Pattern::Together | Pattern::Spread => 0,
            };
            if pattern == Pattern::Spread && requests > 0 {
                client.interval = client.interval.max(self.runs.period / requests);
            }
            client.budget = Some(RequestBudget {
                requests,
                period: self.runs.period,
                phase,
                first: Vec::new(),
            });
        }
        shape
    }

    fn found(&self) -> Result<Found> {
        let mut alone = self.runs.unregulated(0);
        alone.clients.clear();
        let (isolated, alone) = simulate(alone)?;
        let unregulated = (0..self.runs.starts)
            .into_par_iter()
            .map(|start| simulate(self.runs.unregulated(start)));
        let unregulated: Vec<Result<(Results, u64)>> = unregulated.collect();
        let unregulated = unregulated.into_iter().collect::<Result<Vec<_>>>()?;
        let (first, _) = &unregulated[0];
        let most: Vec<u64> = first.clients.iter().map(|client| client.most_in_period).collect();
        let runs = PATTERNS
            .iter()
            .flat_map(|(_, pattern)| self.q.iter().map(move |q| (*pattern, *q)));
        let runs: Vec<(Pattern, Factor)> = runs.collect();
        let times = runs.par_iter().map(|&(pattern, q)| {
            let starts = (0..self.runs.starts).map(|start| {
                let (_, time) = simulate(self.regulated(&most, q, pattern, start))?;
                Ok(time)
            });
            Ok(starts
                .collect::<Result<Vec<u64>>>()?
                .into_iter()
                .max()
                .unwrap_or(0))
        });
        let times: Vec<Result<u64>> = times.collect();
        let times = times.into_iter().collect::<Result<Vec<u64>>>()?;
        let e0 = longest(&isolated);
        let mut found = Found {
            e0,
            e1: unregulated
                .iter()
                .map(|(results, _)| longest(results))
                .fold(e0, u64::max),
            active: active(&isolated),
            alone,
            unregulated: unregulated.iter().map(|(_, time)| *time).max().unwrap_or(0),
            times: times.chunks(self.q.len()).map(<[u64]>::to_vec).collect(),
            most,
            policies: None,
        };
        if let Some(slowdown) = self.slowdown {
            let runs = PolicyRuns::of(&self.runs, &self.kernel(&found)?, &found.most, slowdown)?;
            found.policies = Some(runs);
        }
        Ok(found)
    }

    /// Returns the kernel for the analysis: one cluster with the longest times of a block. One core cycle counts as one
    /// nanosecond.
    fn kernel(&self, found: &Found) -> Result<Kernel> {
        let blocks = self.runs.bench.program(0)?.blocks();
        let cluster = Cluster::new(blocks, Time::from_ns(found.e0), Time::from_ns(found.e1))?;
        Ok(Kernel::new(
            found.active,
            Time::from_ns(self.runs.period),
            vec![cluster],
        )?)
    }

    /// Returns the bound of [Aghilinasab20] for each Q [core cycles].
    fn bounds(&self, found: &Found) -> Result<Vec<u64>> {
        let kernel = self.kernel(found)?;
        let estimator = Estimator::new(&kernel);
        let bound = |q: &Factor| Ok(estimator.bound(*q, false)?.wcet_ns.ns());
        self.q.iter().map(bound).collect()
    }

    fn rows_of(&self, found: &Found) -> Result<Vec<Row>> {
        let of = Labels::of("kernel", self.runs.bench.name(0));
        let most: u64 = found.most.iter().sum();
        let mut rows = vec![
            of.row("largest requests per period", most, "requests"),
            of.row("active blocks", found.active, "blocks"),
            of.row("block time alone", found.e0, "cycles"),
            of.row("block time unregulated", found.e1, "cycles"),
            of.row("time alone", found.alone, "cycles"),
            of.row("time unregulated", found.unregulated, "cycles"),
            of.decimal("slowdown unregulated", ratio(found.unregulated, found.alone), ""),
        ];
        let bounds = self.bounds(found)?;
        for ((pattern, _), times) in PATTERNS.iter().zip(&found.times) {
            let rise = times.last().copied().unwrap_or(0) as f64 - found.alone as f64;
            let mut before = None;
            for (index, (q, time)) in self.q.iter().zip(times).enumerate() {
                let of = of.clone().with("pattern", pattern).with("q", q);
                rows.push(of.row("time", time, "cycles"));
                rows.push(of.decimal("slowdown", ratio(*time, found.alone), ""));
                if let Some(bound) = bounds.get(index) {
                    rows.push(of.row("bound", bound, "cycles"));
                    rows.push(of.decimal("bound by time", ratio(*bound, *time), ""));
                }
                let line = found.alone as f64 + q.as_f64() * rise;
                rows.push(of.decimal("time by line", *time as f64 / line.max(1.0), ""));
                let together = found.times.first().and_then(|times| times.get(index));
                rows.push(of.decimal(
                    "time by time together",
                    ratio(*time, together.copied().unwrap_or(0)),
                    "",
                ));
                if let Some(before) = before.replace(*time) {
                    rows.push(of.decimal("time by time at the Q before", ratio(*time, before), ""));
                }
            }
        }
        rows.extend(found.policies.iter().flat_map(|runs| runs.rows(&of)));
        Ok(rows)
    }
}

impl Measure for RegulatedClients {
    fn rows(&self, _seed: u64) -> Result<Vec<Row>> {
        self.rows_of(&self.found()?)
    }

    fn outline(&self, _seed: u64) -> Result<Vec<Row>> {
        self.rows_of(&Found {
            most: vec![1; self.runs.bench.shape().clients.len()],
            e0: 1,
            e1: 1,
            active: 1,
            alone: 1,
            unregulated: 1,
            times: vec![vec![1; self.q.len()]; PATTERNS.len()],
            policies: self.slowdown.map(|_| PolicyRuns::synthetic()),
        })
    }
}
