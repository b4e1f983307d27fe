//! Metric that compares two kinds of analyses. An analysis that ignores the memory traffic of other partitions can
//! accept plans that miss deadlines. An analysis that counts this traffic accepts fewer task sets.

use gpusched_analysis::interference::model_of;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::limits::within;
use super::statistics::ratio;
use super::{Files, Labels, Measure, Parameters, Row};
use gpusched_analysis::generation::{DRAWN_BANDWIDTH, MAX_SATURATION, Recipe, Source};
use gpusched_analysis::interference::Interference;
use gpusched_analysis::partitioning::{HeuristicKind, Problem, Traffic, partition_by};
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::{
    Arbitration, Bandwidth, Evidence, Partition, Plan, Policy, SharedMemory, TaskSet, Verdict,
};
use gpusched_sim::shared_runs::{Setting, first_miss};

/// Computes plans for random task sets on memories with different bandwidths, and simulates the plans.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "SharedMemoryCase"))]
pub struct SharedMemoryParameters {
    /// Number of tasks in a task set.
    tasks: usize,
    /// Utilization of a whole task set on one SM.
    utilization: f64,
    /// Number of SMs M of the GPU.
    sms: u32,
    /// Numbers of SMs, from 1 to 1000, on which a memory-intensive kernel saturates the memory. A smaller number means less
    /// memory bandwidth.
    saturation: Vec<u32>,
    /// Scheduling policy of the tests and of the simulation.
    policy: Policy,
    /// Heuristics that compute the plans.
    heuristics: Vec<HeuristicKind>,
    /// Number of task sets. gpusched uses the same task sets for every number in `saturation`.
    sets: u64,
}

/// Time after which no job arrives in a simulation [ns]. It is the hyperperiod of the periods in [Singh21] §3.6.1.
const END: u64 = 4_000_000_000;

/// An analysis: how gpusched finds and tests a plan.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Way {
    /// Interference model `conflict`, as in the thesis [Singh21].
    Blind,
    /// Interference model `conflict+bandwidth`, which counts memory traffic.
    Aware(Arbitration, Traffic),
}

impl Way {
    /// Returns the name of the analysis in the results.
    fn name(self) -> String {
        match self {
            Way::Blind => Interference::Conflict.to_string(),
            Way::Aware(Arbitration::Any, traffic) => traffic.to_string(),
            Way::Aware(arbitration, _) => arbitration.to_string(),
        }
    }
}

/// All analyses, in the order of their rows.
const WAYS: [Way; 6] = [
    Way::Blind,
    Way::Aware(Arbitration::Any, Traffic::Ignore),
    Way::Aware(Arbitration::Any, Traffic::Heed),
    Way::Aware(Arbitration::Any, Traffic::Merge),
    Way::Aware(Arbitration::Any, Traffic::All),
    Way::Aware(Arbitration::MaxMin, Traffic::All),
];

/// Checked parameters of this metric, ready to generate task sets.
#[derive(Debug)]
pub struct SharedMemories {
    parameters: SharedMemoryParameters,
}

/// A partition: its number of SMs, its tasks, and their priorities if the verdict states priorities.
type Place = (u32, Vec<usize>, Option<Vec<usize>>);

fn place(partition: &Partition) -> Place {
    let priorities = match &partition.verdict.evidence {
        Evidence::ResponseTimes { priorities, .. } => Some(priorities.clone()),
        _ => None,
    };
    (partition.sms, partition.tasks.clone(), priorities)
}

/// For each analysis, the number of accepted task sets, and how many of them miss a deadline.
type Counts = [[u64; 2]; WAYS.len()];

impl Parameters for SharedMemoryParameters {
    const NAME: &'static str = "shared-memory";
    const KEYS: &'static [&'static str] = &["saturation", "heuristic", "analysis"];
    type Measure = SharedMemories;

    fn prepare(self, _files: &mut Files) -> Result<SharedMemories, Refusal> {
        within("sms", self.sms, 1..=64)?;
        within("tasks", self.tasks, 1..=32)?;
        let saturates = |sms| (1..=MAX_SATURATION).contains(sms);
        if self.saturation.is_empty() || !self.saturation.iter().all(saturates) {
            let found = format!("{:?}", self.saturation);
            return Err(Refusal::new("saturation", found, "numbers of SMs from 1 to 1000"));
        }
        if self.heuristics.is_empty() {
            return Err(Refusal::new("heuristics", "none", "at least one heuristic"));
        }
        if !self.policy.shares_memory() {
            let expected = "a policy with a schedulability test for partitions that share a memory";
            return Err(Refusal::new("policy", self.policy, expected));
        }
        within("sets", self.sets, 1..=1_000_000)?;
        Source::new(&Recipe::default(), self.tasks, self.utilization, 1)
            .map_err(Refusal::about("utilization"))?;
        Ok(SharedMemories { parameters: self })
    }
}

impl SharedMemories {
    /// Generates task set number `index`. gpusched generates the memory traffic of the tasks for a memory that a
    /// memory-intensive kernel on `saturation` SMs saturates.
    fn set(&self, seed: u64, index: u64, saturation: u32) -> Result<TaskSet> {
        let recipe = Recipe {
            saturation: Some(saturation),
            ..Recipe::default()
        };
        let (tasks, utilization) = (self.parameters.tasks, self.parameters.utilization);
        Source::new(&recipe, tasks, utilization, seed)?.draw(0, index)
    }

    /// Computes the counts for one task set.
    fn count(&self, seed: u64, index: u64, saturation: u32, kind: HeuristicKind) -> Result<Counts> {
        let parameters = &self.parameters;
        let set = self.set(seed, index, saturation)?;
        let blind = Problem::new(
            &set,
            parameters.sms,
            parameters.policy,
            model_of(Interference::Conflict),
        )?;
        let bandwidth = Bandwidth::new(DRAWN_BANDWIDTH).unwrap_or(Bandwidth::LIMIT);
        let mut counts = Counts::default();
        // Several analyses may find equal partitions, and gpusched then reuses the simulation. A
        // plan that meets all deadlines under any arbitration also meets them under max-min fair
        // arbitration.
        let mut simulated: Vec<(Vec<Place>, Arbitration, bool)> = Vec::new();
        for (way, [accepted, missed]) in WAYS.into_iter().zip(&mut counts) {
            let (arbitration, traffic) = match way {
                Way::Blind => (Arbitration::Any, Traffic::Ignore),
                Way::Aware(arbitration, traffic) => (arbitration, traffic),
            };
            let memory = SharedMemory::new(bandwidth, arbitration);
            let problem = if way == Way::Blind {
                blind
            } else {
                blind.sharing(memory)?
            };
            let plan = partition_by(&problem, &kind.into(), traffic);
            if plan.schedulable {
                let places: Vec<Place> = plan.partitions.iter().map(place).collect();
                let known = simulated.iter().find(|(other, under, missed)| {
                    *other == places && (*under == arbitration || *under == Arbitration::Any && !missed)
                });
                let late = match known {
                    Some(&(_, _, late)) => late,
                    None => self.misses(&set, &plan, memory, (seed, index)),
                };
                simulated.push((places, arbitration, late));
                *accepted = 1;
                *missed = late.into();
            }
        }
        Ok(counts)
    }

    /// Returns whether `plan` misses a deadline in at least one simulated run.
    fn misses(&self, set: &TaskSet, plan: &Plan, memory: SharedMemory, (seed, index): (u64, u64)) -> bool {
        let setting = Setting {
            set,
            parts: plan
                .partitions
                .iter()
                .map(|part| (&part.tasks[..], part.sms))
                .collect(),
            slices: None,
            memory,
            policy: self.parameters.policy,
            end: END,
        };
        let verdicts: Vec<Verdict> = plan.partitions.iter().map(|part| part.verdict.clone()).collect();
        first_miss(&setting, &verdicts, seed, index).0.is_some()
    }

    fn table(&self, counts: impl Fn(u32, HeuristicKind) -> Result<Counts>) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        for &saturation in &self.parameters.saturation {
            for &kind in &self.parameters.heuristics {
                let name = serde_json::to_value(kind).map_err(|error| Error::Internal(error.to_string()))?;
                let name = name.as_str().unwrap_or_default().to_owned();
                for (way, [accepted, missed]) in WAYS.into_iter().zip(counts(saturation, kind)?) {
                    let of = Labels::of("saturation", saturation)
                        .with("heuristic", &name)
                        .with("analysis", way.name());
                    rows.push(of.decimal("accepted", ratio(accepted, self.parameters.sets), "share"));
                    rows.push(of.decimal("missed", ratio(missed, accepted), "share"));
                }
            }
        }
        Ok(rows)
    }
}

impl Measure for SharedMemories {
    fn rows(&self, seed: u64) -> Result<Vec<Row>> {
        self.table(|saturation, kind| {
            let sets = (0..self.parameters.sets).into_par_iter();
            sets.map(|index| self.count(seed, index, saturation, kind))
                .try_reduce(Counts::default, |mut sum, counts| {
                    for (sum, counts) in sum.iter_mut().flatten().zip(counts.iter().flatten()) {
                        *sum += counts;
                    }
                    Ok(sum)
                })
        })
    }

    fn outline(&self, _seed: u64) -> Result<Vec<Row>> {
        self.table(|_, _| Ok(Counts::default()))
    }
}
