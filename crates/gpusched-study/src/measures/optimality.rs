//! Metric that computes the optimality gap of heuristics: the number of SMs that the plan of a heuristic uses, minus
//! the minimum number of SMs.

use gpusched_analysis::interference::model_of;
use gpusched_model::Refusal;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::limits::within;
use super::statistics::ratio;
use super::{Files, Labels, Measure, Parameters, Row};
use crate::definition::functions::WcetFunctions;
use crate::definition::hardware;
use crate::table::Weighted;
use gpusched_analysis::generation::{Kernels, Periods, Recipe, Source};
use gpusched_analysis::interference::Interference;
use gpusched_analysis::partitioning::forbidden::Forbidden;
use gpusched_analysis::partitioning::{Heuristic, HeuristicKind, Offer, Options, Problem, partition};
use gpusched_model::device::Granularity;
use gpusched_model::error::Result;
use gpusched_model::wcet::MAX_SMS;
use gpusched_model::{Plan, Policy, TaskSet};

/// Compares heuristics with `optimal` on random task sets. The task sets are generated as in [Singh21] §3.6.1. The WCET
/// functions of the tasks have the parameters of [Singh21], or the shapes of measured functions.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "OptimalityCase"))]
pub struct OptimalityParameters {
    /// Number of tasks in a task set.
    tasks: usize,
    /// Utilizations of a whole task set on one SM.
    utilization: Vec<f64>,
    /// Number of SMs M of the GPU. A case states either `sms` or `device`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sms: Option<u32>,
    /// Name of the GPU, which has M SMs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    device: Option<String>,
    /// Granularity of partitions on the `device`. If absent, a partition may have any number of SMs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    granularity: Option<Granularity>,
    /// Scheduling policy, which determines the schedulability test of each partition.
    policy: Policy,
    /// WCET functions of the tasks.
    wcet: WcetFunctions,
    /// Distribution of the periods. If absent, the periods of [Singh21] apply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    periods: Option<Periods>,
    /// Number of task sets for each utilization.
    sets: u64,
    /// Heuristics that are compared with `optimal`.
    algorithms: Vec<Contender>,
    /// Search effort of `optimal` for one task set: maximum number of tests of candidate partitions. If absent, the default
    /// of `optimal` applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    budget: Option<u64>,
    /// Whether the results include the weighted schedulability: one number for all utilizations together. Default:
    /// false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    weighted: bool,
}

/// A heuristic with its options.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Contender {
    /// Heuristic SMS (`sms`). The search fills the list of forbidden pairs.
    SmsIna,
    /// Heuristic SMS (`sms`). A step before the search fills the list of forbidden pairs.
    SmsAct,
    /// Heuristic BF (`bf`). The search fills the list of forbidden pairs.
    BfIna,
    /// Heuristic that merges partitions in the order of savings.
    Savings,
    /// Heuristic that merges partitions by matching.
    Matching,
    /// Portfolio of heuristics (`auto`), with its default search effort.
    Auto,
}

impl Contender {
    fn name(self) -> &'static str {
        self.into()
    }

    fn heuristic(self) -> Result<Heuristic> {
        let active = Options {
            forbidden: Some(Forbidden::Act),
            ..Options::default()
        };
        Ok(match self {
            Contender::SmsIna => HeuristicKind::Sms.into(),
            Contender::SmsAct => HeuristicKind::Sms.with(&active)?,
            Contender::BfIna => HeuristicKind::Bf.into(),
            Contender::Savings => HeuristicKind::Savings.into(),
            Contender::Matching => HeuristicKind::Matching.into(),
            Contender::Auto => HeuristicKind::Auto.into(),
        })
    }

    /// Returns whether the heuristic stops as soon as its plan fits on the GPU.
    fn ends_when_it_fits(self) -> bool {
        matches!(self, Contender::SmsIna | Contender::SmsAct | Contender::BfIna)
    }
}

/// Checked parameters of this metric, ready to generate task sets.
#[derive(Debug)]
pub struct Optimality {
    parameters: OptimalityParameters,
    /// Number of SMs M of the GPU.
    sms: u32,
    /// Supported partition sizes. Absent if a partition may have any number of SMs.
    offer: Option<Offer>,
    /// Kernels that the generated tasks copy. Absent if the study states a form of the WCET functions.
    kernels: Option<Kernels>,
}

/// Sums over all task sets, for one algorithm.
#[derive(Copy, Clone, Debug, Default)]
struct Sums {
    schedulable: u64,
    /// Number of task sets for which this algorithm and `optimal` both find a schedulable plan.
    reached: u64,
    tests: u64,
    /// Number of task sets with a plan that contains all tasks, even if the plan needs more SMs
    /// than the GPU has. The fields that follow count only these task sets.
    plans: u64,
    sms: u64,
    /// Total number of SMs by which the plans exceed the lower bound of `optimal`.
    gap: u64,
    near: u64,
    close: u64,
    optimal: u64,
    /// Sum of the lower bounds that the heuristic itself computes [SMs]; 0 if it computes no bound.
    bound: u64,
}

impl Sums {
    /// Adds the results of `plan`, which uses `sms` SMs of a GPU with `gpu` SMs. `best` is the plan
    /// of `optimal`, with its lower bound.
    fn count(&mut self, plan: &Plan, sms: u32, best: &Plan, gpu: u32) {
        let schedulable = u64::from(sms <= gpu && plan.partitions.iter().all(|p| p.verdict.schedulable));
        self.schedulable += schedulable;
        self.reached += schedulable * u64::from(best.schedulable);
        self.tests += plan.stats.merges_tested + plan.stats.prefill_merges;
        let least = best.bound.as_ref().map_or(sms, |bound| bound.sms);
        let gap = sms.saturating_sub(least);
        self.plans += 1;
        self.sms += u64::from(sms);
        self.gap += u64::from(gap);
        self.near += u64::from(gap <= 1);
        self.close += u64::from(100 * u64::from(gap) <= 3 * u64::from(sms));
        self.optimal += u64::from(gap == 0);
        self.bound += plan.bound.as_ref().map_or(0, |bound| bound.sms.into());
    }

    fn add(&mut self, other: &Sums) {
        for (sum, other) in [
            (&mut self.schedulable, other.schedulable),
            (&mut self.reached, other.reached),
            (&mut self.tests, other.tests),
            (&mut self.plans, other.plans),
            (&mut self.sms, other.sms),
            (&mut self.gap, other.gap),
            (&mut self.near, other.near),
            (&mut self.close, other.close),
            (&mut self.optimal, other.optimal),
            (&mut self.bound, other.bound),
        ] {
            *sum += other;
        }
    }
}

/// Results of some task sets. They consist of the number of task sets without any plan, and the sums of each algorithm.
/// The sums of `optimal` are last.
#[derive(Clone, Debug, Default)]
struct Counts {
    infeasible: u64,
    sums: Vec<Sums>,
}

impl Counts {
    fn plus(mut self, other: &Counts) -> Counts {
        self.infeasible += other.infeasible;
        self.sums
            .resize(self.sums.len().max(other.sums.len()), Sums::default());
        for (sum, other) in self.sums.iter_mut().zip(&other.sums) {
            sum.add(other);
        }
        self
    }
}

impl Parameters for OptimalityParameters {
    const NAME: &'static str = "optimality";
    const KEYS: &'static [&'static str] = &["utilization", "algorithm"];
    const PARTIAL: &'static [&'static str] = &["utilization"];
    type Measure = Optimality;

    fn prepare(self, files: &mut Files) -> Result<Optimality, Refusal> {
        let (sms, offer) = self.gpu()?;
        within("tasks", self.tasks, 1..=1000)?;
        within("sets", self.sets, 1..=1_000_000)?;
        if self.utilization.is_empty() {
            return Err(Refusal::new("utilization", "none", "at least one utilization"));
        }
        if self.policy.counts_blocks() {
            return Err(Refusal::new(
                "policy",
                self.policy,
                "a policy that does not depend on thread blocks",
            ));
        }
        let kernels = self.wcet.kernels(files)?;
        let measure = Optimality {
            parameters: self,
            sms,
            offer,
            kernels,
        };
        for &utilization in &measure.parameters.utilization {
            measure
                .source(utilization, 1)
                .map_err(Refusal::about("utilization"))?;
        }
        Ok(measure)
    }
}

impl OptimalityParameters {
    /// Returns the number of SMs of the GPU, and the supported partition sizes.
    fn gpu(&self) -> Result<(u32, Option<Offer>), Refusal> {
        match (self.sms, &self.device, self.granularity) {
            (Some(sms), None, None) => within("sms", sms, 1..=MAX_SMS).map(|()| (sms, None)),
            (None, Some(name), granularity) => {
                let device = hardware::device(name)?;
                let offer = granularity.map(|granularity| hardware::offer(&device, granularity));
                Ok((device.sms(), offer.transpose()?))
            }
            (Some(_), None, Some(of)) => Err(Refusal::new(
                "granularity",
                format!("{of} without `device`"),
                "a `device` in place of `sms`",
            )),
            (Some(_), Some(_), _) => Err(Refusal::new("device", "`device` and `sms`", "one of them")),
            (None, None, _) => Err(Refusal::told("", "missing field `sms` (or `device`)")),
        }
    }

    /// Returns the names of all algorithms, in the order of their rows.
    fn names(&self) -> impl Iterator<Item = &'static str> {
        let names = self.algorithms.iter().map(|algorithm| algorithm.name());
        names.chain(["optimal"])
    }
}

impl Optimality {
    /// Returns the generator of task sets with the total utilization `utilization`.
    fn source(&self, utilization: f64, seed: u64) -> Result<Source> {
        let parameters = &self.parameters;
        let recipe = Recipe {
            wcet: parameters.wcet.model(),
            periods: parameters.periods.clone().unwrap_or_default(),
            ..Recipe::default()
        };
        let source = Source::new(&recipe, parameters.tasks, utilization, seed)?;
        Ok(match &self.kernels {
            Some(kernels) => source.with_kernels(kernels.clone())?,
            None => source,
        })
    }

    /// Computes the results of one task set.
    fn count(&self, set: &TaskSet) -> Result<Counts> {
        let parameters = &self.parameters;
        let interference = model_of(Interference::Conflict);
        let mut problem = Problem::new(set, self.sms, parameters.policy, interference)?;
        if let Some(offer) = &self.offer {
            problem = problem.offered(offer)?;
        }
        let options = Options {
            search_effort: parameters.budget,
            ..Options::default()
        };
        let best = partition(&problem, &HeuristicKind::Optimal.with(&options)?);
        let mut counts = Counts {
            infeasible: 1,
            sums: vec![Sums::default(); parameters.algorithms.len() + 1],
        };
        let Some(bound) = &best.bound else {
            return Ok(counts); // A lemma proves that no plan exists.
        };
        counts.infeasible = u64::from(bound.sms > self.sms);
        let algorithms = parameters.algorithms.iter().copied();
        for (algorithm, sums) in algorithms.zip(&mut counts.sums) {
            let heuristic = algorithm.heuristic()?;
            let plan = partition(&problem, &heuristic);
            let mut sms = plan.sms_used;
            if algorithm.ends_when_it_fits() && plan.schedulable {
                let longer = partition(&problem.with_fewest_sms(), &heuristic);
                if longer.schedulable {
                    sms = sms.min(longer.sms_used);
                }
            }
            sums.count(&plan, sms, &best, self.sms);
        }
        if let Some(sums) = counts.sums.last_mut() {
            sums.count(&best, best.sms_used, &best, self.sms);
        }
        Ok(counts)
    }

    fn table(&self, counts: impl Fn(f64, u64) -> Result<Counts>) -> Result<Vec<Row>> {
        let parameters = &self.parameters;
        let mut rows = Vec::new();
        let mut weighted = vec![Weighted::default(); parameters.algorithms.len() + 1];
        for (point, &utilization) in (0..).zip(&parameters.utilization) {
            let counts = counts(utilization, point)?;
            for (weighted, sums) in weighted.iter_mut().zip(&counts.sums) {
                weighted.add(
                    (utilization * 1e9).round() as u128,
                    sums.schedulable,
                    parameters.sets,
                );
            }
            for (name, sums) in parameters.names().zip(&counts.sums) {
                let of = Labels::of("utilization", utilization).with("algorithm", name);
                let mut row = |quantity, part, whole, unit| {
                    rows.push(of.decimal(quantity, ratio(part, whole), unit));
                };
                let (sets, plans) = (parameters.sets, sums.plans);
                row("schedulable", sums.schedulable, sets, "share");
                row("SMs", sums.sms, plans, "SMs");
                row("gap", sums.gap, plans, "SMs");
                row("gap of at most 1", sums.near, plans, "share");
                row("gap of at most 3 %", sums.close, plans, "share");
                row("optimal", sums.optimal, plans, "share");
                row("tests", sums.tests, sets, "");
                match name {
                    "optimal" => {
                        row("bound", sums.bound, plans, "SMs");
                        row("infeasible", counts.infeasible, sets, "share");
                    }
                    _ => row("reached", sums.reached, counts.best(), "share"),
                }
                if name == Contender::Auto.name() {
                    row("bound", sums.bound, plans, "SMs");
                }
            }
        }
        if parameters.weighted {
            let shares = parameters.names().zip(&weighted);
            rows.extend(shares.map(|(name, weighted)| {
                Labels::of("algorithm", name).row("weighted schedulability", weighted.share(), "share")
            }));
        }
        Ok(rows)
    }
}

impl Counts {
    /// Returns the number of task sets for which `optimal` finds a schedulable plan.
    fn best(&self) -> u64 {
        self.sums.last().map_or(0, |sums| sums.schedulable)
    }
}

impl Measure for Optimality {
    fn rows(&self, seed: u64) -> Result<Vec<Row>> {
        let parameters = &self.parameters;
        self.table(|utilization, point| {
            let source = self.source(utilization, seed)?;
            let sets = (0..parameters.sets).into_par_iter();
            sets.map(|index| self.count(&source.draw(point, index)?))
                .try_reduce(Counts::default, |sum, counts| Ok(sum.plus(&counts)))
        })
    }

    fn outline(&self, _seed: u64) -> Result<Vec<Row>> {
        self.table(|_, _| {
            Ok(Counts {
                infeasible: 0,
                sums: vec![Sums::default(); self.parameters.algorithms.len() + 1],
            })
        })
    }
}
