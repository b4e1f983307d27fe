//! Metric that compares analyses and plans on random end-to-end systems. It reports the share of schedulable systems
//! for each of them.

mod methods;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use self::methods::Method;
use super::limits::within;
use super::statistics::ratio;
use super::{Files, Labels, Measure, Parameters, Row};
use crate::table::Weighted;
use gpusched_analysis::generation::WcetModel;
use gpusched_analysis::generation::systems::{Configuration, SystemRecipe, SystemSource};
use gpusched_model::Interference;
use gpusched_model::end_to_end::{EnginePolicy, PartitionPolicy, Wait};
use gpusched_model::error::{Refusal, Result};
use gpusched_model::time::Time;

/// Compares analyses and plans on random end-to-end systems. The systems are generated with the parameters of Wang et al.
/// (GCAPS, ECRTS 2024).
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "EndToEndCase"))]
pub struct EndToEndParameters {
    /// Utilizations of each core. They include the CPU time and the GPU time of the tasks on this core. GPU time is the
    /// time on all SMs in isolation.
    utilization: Vec<f64>,
    /// Number of systems for each utilization.
    sets: u64,
    /// Parameters of the systems.
    #[serde(default)]
    systems: SystemRecipe,
    /// What the tasks do while they wait for a transfer or a kernel.
    wait: Wait,
    /// Scheduling rule of the copy engine. If absent, transfers count as CPU time of their task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    copy_engine: Option<EnginePolicy>,
    /// Scheduling rule of each partition.
    policy: PartitionPolicy,
    /// Number of SMs of the GPU. Default: 1.
    #[serde(default = "one")]
    sms: u32,
    /// Form of the WCET functions of the kernels. If absent, the time of a kernel does not depend on the number of SMs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wcet: Option<WcetModel>,
    /// Interference model: `none` or `conflict`. Default: `none`.
    #[serde(default = "none")]
    interference: Interference,
    /// Additional time of each kernel besides its execution, such as the cost of preemption. Only without `wcet`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    overhead: Option<Time>,
    /// Longest time for which a kernel waits before it starts, besides the kernels of other tasks, such as the time of an operation
    /// of the driver that is not preempted. This time delays no other task on the GPU. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    blocking: Option<Time>,
    /// Analyses and plans. All methods analyze the same systems.
    methods: Vec<Method>,
    /// Search effort of a plan for one system: maximum number of end-to-end tests. Default: 2000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tests: Option<u64>,
    /// Published shares of schedulable systems, one for each utilization. The shares belong to the method `holistic`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    published: Vec<f64>,
}

const fn one() -> u32 {
    1
}

const fn none() -> Interference {
    Interference::None
}

/// Checked parameters of this metric, ready to generate systems.
#[derive(Debug)]
pub struct EndToEnd {
    parameters: EndToEndParameters,
    configuration: Configuration,
}

/// Sums over systems, for one method.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
struct Sums {
    schedulable: u64,
    /// Number of systems that are schedulable under this method, but not under the method `holistic`.
    alone: u64,
    /// Total numbers of SMs and partitions of all plans.
    sms: u64,
    partitions: u64,
}

impl Sums {
    fn plus(self, other: &Sums) -> Sums {
        Sums {
            schedulable: self.schedulable + other.schedulable,
            alone: self.alone + other.alone,
            sms: self.sms + other.sms,
            partitions: self.partitions + other.partitions,
        }
    }
}

impl Parameters for EndToEndParameters {
    const NAME: &'static str = "end-to-end";
    const KEYS: &'static [&'static str] = &["utilization", "algorithm"];
    const PARTIAL: &'static [&'static str] = &["utilization"];
    type Measure = EndToEnd;

    fn prepare(self, _files: &mut Files) -> Result<EndToEnd, Refusal> {
        within("sms", self.sms, 1..=1024)?;
        within("sets", self.sets, 1..=1_000_000)?;
        if self.utilization.is_empty() {
            return Refusal::refuse("utilization", "none", "at least one utilization");
        }
        for &utilization in &self.utilization {
            SystemSource::new(&self.systems, utilization, 1).map_err(|refusal| match refusal.field() {
                "utilization" => refusal,
                _ => refusal.within("systems"),
            })?;
        }
        if self.methods.is_empty() {
            return Refusal::refuse("methods", "none", "at least one method");
        }
        for (index, method) in self.methods.iter().enumerate() {
            let field = format!("methods[{index}]");
            if self.methods.iter().take(index).any(|other| other == method) {
                return Refusal::refuse(field, method, "a method that is not listed before");
            }
            if method.heuristic().is_some() && self.wcet.is_none() {
                let expected = "a method that chooses no partitions, because the kernels have no `wcet` that depends on the SMs";
                return Refusal::refuse(field, method, expected);
            }
            if *method == Method::Enforced && self.wait == Wait::Busy {
                let expected = "a method for tasks that wait busily";
                return Refusal::refuse(field, method, expected);
            }
        }
        if self.interference.counts_memory() {
            return Refusal::refuse("interference", self.interference, "conflict or none");
        }
        if let (Some(overhead), Some(_)) = (self.overhead, self.wcet) {
            return Refusal::refuse("overhead", overhead, "no value for kernels with `wcet`");
        }
        if let (Some(blocking), Some(_)) = (self.blocking, self.wcet) {
            return Refusal::refuse("blocking", blocking, "no value for kernels with `wcet`");
        }
        if !self.published.is_empty() && self.published.len() != self.utilization.len() {
            let expected = format!("{}, one for each utilization", self.utilization.len());
            return Refusal::refuse("published", format!("{} numbers", self.published.len()), expected);
        }
        super::limits::finite(&self.published)?;
        let configuration = Configuration {
            wait: self.wait,
            copy_engine: self.copy_engine,
            policy: self.policy,
            sms: self.sms,
            wcet: self.wcet,
            overhead: self.overhead.unwrap_or(Time::ZERO), // by definition, no overhead
            blocking: self.blocking.unwrap_or(Time::ZERO), // by definition, no wait
        };
        Ok(EndToEnd {
            parameters: self,
            configuration,
        })
    }
}

impl EndToEnd {
    /// Evaluates all methods on system `set` of point `point`.
    fn count(&self, source: &SystemSource, (seed, point, set): (u64, u64, u64)) -> Result<Vec<Sums>> {
        let parameters = &self.parameters;
        let draft = source.draw(point, set).draft(&self.configuration)?;
        let subject = methods::Subject::new(draft, parameters.interference, parameters.sms)?;
        let tests = parameters.tests.unwrap_or(2000);
        let mut counts = Vec::with_capacity(parameters.methods.len());
        for &method in &parameters.methods {
            let found = subject.evaluate(method, tests, (seed, point, set))?;
            counts.push(Sums {
                schedulable: u64::from(found.schedulable),
                alone: u64::from(found.schedulable && !subject.holistic()),
                sms: found.sms.into(),
                partitions: found.partitions,
            });
        }
        Ok(counts)
    }

    fn table(&self, counts: impl Fn(f64, u64) -> Result<Vec<Sums>>) -> Result<Vec<Row>> {
        let parameters = &self.parameters;
        let mut rows = Vec::new();
        let mut weighted = vec![Weighted::default(); parameters.methods.len()];
        for (point, &utilization) in (0..).zip(&parameters.utilization) {
            let counts = counts(utilization, point)?;
            let published = parameters.published.get(rows_of(point)).copied();
            for ((method, sums), weighted) in parameters.methods.iter().zip(&counts).zip(&mut weighted) {
                let sets = parameters.sets;
                weighted.add((utilization * 1e9).round() as u128, sums.schedulable, sets);
                let of = Labels::of("utilization", utilization).with("algorithm", method);
                let row = of.decimal("schedulable", ratio(sums.schedulable, sets), "share");
                rows.push(row.beside(published.filter(|_| *method == Method::Holistic)));
                if method.is_bound() {
                    rows.push(of.decimal("without holistic", ratio(sums.alone, sets), "share"));
                }
                if method.heuristic().is_some() {
                    let plans = sums.schedulable;
                    rows.push(of.decimal("without holistic", ratio(sums.alone, sets), "share"));
                    rows.push(of.decimal("SMs", ratio(sums.sms, plans), "SMs"));
                    rows.push(of.decimal("partitions", ratio(sums.partitions, plans), ""));
                }
            }
        }
        let shares = parameters.methods.iter().zip(&weighted);
        rows.extend(shares.map(|(method, weighted)| {
            Labels::of("algorithm", method).row("weighted schedulability", weighted.share(), "share")
        }));
        Ok(rows)
    }
}

/// Returns the index of the published number for `point` in `published`. If the list is shorter, the point has no
/// published number.
fn rows_of(point: u64) -> usize {
    usize::try_from(point).unwrap_or(usize::MAX)
}

impl Measure for EndToEnd {
    fn rows(&self, seed: u64) -> Result<Vec<Row>> {
        let parameters = &self.parameters;
        self.table(|utilization, point| {
            let source = SystemSource::new(&parameters.systems, utilization, seed)?;
            let zero = || vec![Sums::default(); parameters.methods.len()];
            let sets = (0..parameters.sets).into_par_iter();
            sets.map(|set| self.count(&source, (seed, point, set)))
                .try_reduce(zero, |sums, counts| {
                    Ok(sums
                        .into_iter()
                        .zip(&counts)
                        .map(|(sum, count)| sum.plus(count))
                        .collect())
                })
        })
    }

    fn outline(&self, _seed: u64) -> Result<Vec<Row>> {
        self.table(|_, _| Ok(vec![Sums::default(); self.parameters.methods.len()]))
    }
}
