//! Metric that compares bounds on the response times of graphs of operators with simulated response times.

use rand::Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::limits::within;
use super::statistics::mean;
use super::{Files, Labels, Measure, Parameters, Row};
use gpusched_analysis::operator_graphs::{OperatorGraph, published, response_time, smallest_period};
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::streams::{Purpose, below, stream, unit};
use gpusched_model::time::Time;
use gpusched_sim::operator_graphs::simulate;

/// Compares two bounds on random graphs of operators with queues of one message: the bound `published` of Schowitz et al. (RTSS 2024),
/// and the bound `gpusched` for periodic messages.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "OperatorGraphsCase"))]
pub struct OperatorGraphsParameters {
    /// Numbers of operators. Each operator after the first one receives messages from one random earlier operator.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    operators: Vec<usize>,
    /// Probability of each further connection. Default: 0.
    #[serde(default)]
    density: f64,
    /// Connections of one graph, in place of random graphs. Operators are numbers from 0, and each connection leads to a larger one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    connections: Vec<[usize; 2]>,
    /// Smallest and largest WCET of an operator. The WCETs are uniform.
    wcet: [Time; 2],
    /// Number of graphs with random WCETs, for each number of operators.
    graphs: u64,
}

/// Most operators of a graph.
const MOST: usize = 100;

/// Graphs with checked parameters.
#[derive(Debug)]
pub struct OperatorGraphs {
    parameters: OperatorGraphsParameters,
    /// Numbers of operators.
    counts: Vec<usize>,
}

/// The results of one graph.
struct Found {
    /// Bound divided by the longest simulated time: `published` and `gpusched` at the smallest period, and `published` while messages
    /// are lost.
    ratios: [f64; 3],
    /// Whether a run exceeds each of these bounds.
    exceeded: [bool; 3],
}

impl Parameters for OperatorGraphsParameters {
    const NAME: &'static str = "operator-graphs";
    const KEYS: &'static [&'static str] = &["operators", "algorithm"];
    type Measure = OperatorGraphs;

    fn prepare(self, _files: &mut Files) -> Result<OperatorGraphs, Refusal> {
        within("graphs", self.graphs, 1..=1_000_000)?;
        within("density", self.density, 0.0..=1.0)?;
        let [least, most] = self.wcet;
        if least == Time::ZERO || least > most || most > Time::from_ns(1 << 40) {
            let expected = "two ascending times above 0, up to 1000 s";
            return Refusal::refuse("wcet", format!("{least}, {most}"), expected);
        }
        let largest = self.connections.iter().flatten().max();
        let counts = match (largest, self.operators.is_empty()) {
            (None, true) => return Refusal::refuse("operators", "none", "at least one number of operators"),
            (Some(_), false) => {
                let found = format!("{:?}", self.operators);
                return Refusal::refuse(
                    "operators",
                    found,
                    "no numbers, because `connections` states the graph",
                );
            }
            (None, false) => self.operators.clone(),
            (Some(&largest), true) => vec![largest.saturating_add(1)],
        };
        for &count in &counts {
            within("operators", count, 1..=MOST)?;
        }
        if !self.connections.is_empty() {
            let wcets = vec![least; counts.first().copied().unwrap_or(0)];
            let graph = OperatorGraph::new(wcets, self.connections.iter().map(|&[from, to]| (from, to)))?;
            if published(&graph).is_none() {
                return Refusal::refuse(
                    "connections",
                    "several operators without outputs",
                    "one last operator",
                );
            }
        }
        Ok(OperatorGraphs {
            parameters: self,
            counts,
        })
    }
}

impl OperatorGraphs {
    fn graph(&self, rng: &mut impl Rng, count: usize) -> Result<OperatorGraph> {
        let parameters = &self.parameters;
        let mut connections: Vec<(usize, usize)> = parameters
            .connections
            .iter()
            .map(|&[from, to]| (from, to))
            .collect();
        if connections.is_empty() {
            connections.extend((1..count).map(|to| (below(rng, to), to)));
            for from in 0..count {
                for to in from + 1..count {
                    if unit(rng) <= parameters.density {
                        connections.push((from, to));
                    }
                }
            }
            // One last operator.
            for from in 0..count.saturating_sub(1) {
                if connections.iter().all(|&(sender, _)| sender != from) {
                    connections.push((from, count - 1));
                }
            }
        }
        let [least, most] = parameters.wcet.map(Time::ns);
        let range = usize::try_from(most - least + 1).unwrap_or(usize::MAX);
        let wcets: Vec<Time> = (0..count)
            .map(|_| Time::from_ns(least + below(rng, range) as u64))
            .collect();
        Ok(OperatorGraph::new(wcets, connections)?)
    }

    fn evaluate(&self, seed: u64, (count, number): (usize, u64)) -> Result<Found> {
        let mut rng = stream(seed, Purpose::OperatorGraphs, count as u64, number);
        let graph = self.graph(&mut rng, count)?;
        let large = || {
            Error::from(Refusal::new(
                "wcet",
                "times that add up to more than 2^64 ns",
                "shorter times",
            ))
        };
        let (published, period) = published(&graph).zip(smallest_period(&graph)).ok_or_else(large)?;
        let exact = response_time(&graph, period).ok_or_else(large)?;
        let operators = graph.operators();
        // After as many messages as operators, periodic messages with WCETs attain the longest time.
        let messages = 4 * count as u64 + 20;
        let mut longest = |period: Time| {
            let run = simulate(&graph, period, messages, |operator, _| operators[operator].wcet);
            let extremes = simulate(&graph, period, messages, |operator, _| {
                [Time::ZERO, operators[operator].wcet][below(&mut rng, 2)]
            });
            run.response.max(extremes.response)
        };
        let sustained = longest(period);
        // The queue of the first operator is never empty for long, so it loses messages.
        let full = longest(Time::from_ns((period.ns() / 100).max(1)));
        let pairs = [(published, sustained), (exact, sustained), (published, full)];
        Ok(Found {
            ratios: pairs.map(|(bound, found)| bound.ns() as f64 / found.ns().max(1) as f64),
            exceeded: pairs.map(|(bound, found)| found > bound),
        })
    }

    fn table(&self, found: impl Fn(usize) -> Result<Vec<Found>>) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        let names = [
            ("published", "pessimism", "largest pessimism", "exceeded"),
            ("gpusched", "pessimism", "largest pessimism", "exceeded"),
            (
                "published",
                "pessimism with lost messages",
                "largest pessimism with lost messages",
                "exceeded with lost messages",
            ),
        ];
        for &count in &self.counts {
            let all = found(count)?;
            for (index, (algorithm, pessimism, largest, exceeded)) in names.into_iter().enumerate() {
                let of = Labels::of("operators", count).with("algorithm", algorithm);
                let ratios = all.iter().map(|found| found.ratios[index]);
                rows.push(of.decimal(pessimism, mean(ratios.clone()), ""));
                rows.push(of.decimal(largest, ratios.fold(0.0, f64::max), ""));
                let above = all.iter().filter(|found| found.exceeded[index]).count();
                rows.push(of.row(exceeded, above, ""));
            }
        }
        Ok(rows)
    }
}

impl Measure for OperatorGraphs {
    fn rows(&self, seed: u64) -> Result<Vec<Row>> {
        self.table(|count| {
            let numbers = (0..self.parameters.graphs).into_par_iter();
            numbers
                .map(|number| self.evaluate(seed, (count, number)))
                .collect()
        })
    }

    fn outline(&self, _seed: u64) -> Result<Vec<Row>> {
        self.table(|_| Ok(Vec::new()))
    }
}
