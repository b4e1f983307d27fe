//! Which tasks share a partition, and how many SMs each partition gets ([Singh21] §3.5).
//!
//! * [`Problem`]: the tasks, the GPU, the test and the interference model;
//! * [`lemmas`]: Lemmas 1–3;
//! * `search`: Algorithm 1, with `merge` (Algorithm 2), `select` (Algorithm 3), the relations ≫ and > in
//!   [`order`], and the [`forbidden`] list (ACT, INA);
//! * `examiner`: the test as the searches ask it, with its tables (`costs`) and its short cuts (`load`);
//! * `savings`, `matching`: merges chosen among all pairs at once; `local_search`: few partitions divided anew, from any
//!   plan; `auto`: all of them;
//! * `optimal`: the fewest SMs, with a lower bound and its proof;
//! * `baselines`: one partition, one partition per task, first-fit and worst-fit on an equal split.
//!
//! Everything is deterministic: each file states how it breaks ties.

mod auto;
mod baselines;
mod candidate;
mod costs;
mod examiner;
mod focus;
pub mod forbidden;
mod group;
mod heuristic;
pub mod lemmas;
mod list;
mod load;
mod local_search;
mod matching;
mod merge;
mod objective;
mod optimal;
pub mod order;
mod problem;
mod relation;
mod savings;
mod search;
mod select;
pub mod sensitivity;
mod sizes;
mod work;

pub use auto::AUTO_BUDGET;
pub use candidate::Candidate;
pub use heuristic::{Heuristic, HeuristicKind};
pub use objective::Objective;
pub use optimal::OPTIMAL_BUDGET;
pub use problem::Problem;
pub use sensitivity::sensitivity;

use std::time::Instant;

use examiner::Examiner;

use crate::model::plan::{Failure, LowerBound, Partition, Plan, SearchStats};

/// Partitions the GPU of `problem` by `heuristic`.
pub fn partition(problem: &Problem<'_>, heuristic: &Heuristic) -> Plan {
    let examiner = &mut Examiner::new(problem);
    let singles = match lemmas::smallest_partitions(examiner) {
        Ok(singles) => singles,
        Err(failure) => {
            return Plan {
                schedulable: false,
                gpu_sms: problem.sms(),
                interference: problem.interference_name(),
                sms_used: 0,
                partitions: Vec::new(),
                failure: Some(failure),
                bound: None,
                stats: SearchStats::default(),
                sensitivity: None,
            };
        }
    };
    let target = auto::target(examiner, heuristic);
    let start = Instant::now();
    let mut outcome = match heuristic.kind {
        HeuristicKind::OneGpu => baselines::one_gpu(problem),
        HeuristicKind::OnePerPartition => baselines::one_per_partition(singles),
        HeuristicKind::Ffd => baselines::equal_split(examiner, baselines::Fit::First, heuristic.split),
        HeuristicKind::Wfd => baselines::equal_split(examiner, baselines::Fit::Worst, heuristic.split),
        HeuristicKind::Sms | HeuristicKind::Bf => {
            let singles = singles.into_iter().map(|single| single.mergeable(problem));
            search::partition_and_allocate(examiner, singles.collect(), heuristic)
        }
        HeuristicKind::Savings | HeuristicKind::Matching => {
            let singles = singles.into_iter().map(|single| single.mergeable(problem));
            let mut partitions: Vec<Candidate> = singles.collect();
            let merges_tested = match heuristic.kind {
                HeuristicKind::Savings => savings::merge_by_savings(examiner, &mut partitions, target),
                _ => matching::merge_by_matching(examiner, &mut partitions, target),
            };
            Outcome {
                partitions,
                bound: None,
                stats: SearchStats {
                    merges_tested,
                    search_ns: search::elapsed_ns(start),
                    ..SearchStats::default()
                },
            }
        }
        HeuristicKind::Auto => {
            let singles = singles.into_iter().map(|single| single.mergeable(problem));
            auto::auto(examiner, singles.collect(), heuristic)
        }
        HeuristicKind::Optimal => {
            let singles = singles.into_iter().map(|single| single.mergeable(problem));
            optimal::optimal(examiner, singles.collect(), heuristic)
        }
    };
    if heuristic.improve && outcome.bound.is_none() && outcome.is_whole(problem) {
        let budget = heuristic.budget(AUTO_BUDGET);
        let parts = auto::parts_of(outcome.partitions);
        let tested = outcome.stats.merges_tested;
        let prefill = outcome.stats;
        outcome = auto::improved(examiner, parts, target, budget, tested, start);
        outcome.stats.prefill_merges = prefill.prefill_merges;
        outcome.stats.prefill_ns = prefill.prefill_ns;
        outcome.stats.search_ns = outcome.stats.search_ns.saturating_sub(prefill.prefill_ns);
    }
    outcome.into_plan(problem)
}

/// What a heuristic ends with.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// The partitions at the end of the search.
    pub partitions: Vec<Candidate>,
    /// No plan has fewer SMs.
    pub bound: Option<LowerBound>,
    /// What it cost.
    pub stats: SearchStats,
}

impl Outcome {
    /// Whether every task is in a partition that passes: what local search can start from.
    fn is_whole(&self, problem: &Problem<'_>) -> bool {
        let placed: usize = self.partitions.iter().map(|p| p.tasks.len()).sum();
        placed == problem.tasks().len()
            && self
                .partitions
                .iter()
                .all(|partition| problem.accepts(&partition.tasks, partition.sms))
    }

    /// Lemma 3 on the partitions, and the verdict of each.
    fn into_plan(self, problem: &Problem<'_>) -> Plan {
        let mut partitions: Vec<Partition> = self
            .partitions
            .into_iter()
            .map(|candidate| Partition {
                verdict: problem.verdict(&candidate.tasks, candidate.sms),
                sms: candidate.sms,
                tasks: candidate.tasks,
            })
            .collect();
        partitions.sort_by(|a, b| b.sms.cmp(&a.sms).then_with(|| a.tasks.cmp(&b.tasks)));
        let sms_used = partitions
            .iter()
            .fold(0u32, |sum, partition| sum.saturating_add(partition.sms));
        let placed: usize = partitions.iter().map(|partition| partition.tasks.len()).sum();
        let schedulable = placed == problem.tasks().len()
            && lemmas::fits(sms_used, problem.sms())
            && partitions.iter().all(|partition| partition.verdict.schedulable);
        Plan {
            schedulable,
            gpu_sms: problem.sms(),
            interference: problem.interference_name(),
            sms_used,
            partitions,
            failure: (!schedulable).then_some(match &self.bound {
                Some(bound) if bound.sms > problem.sms() => Failure::BoundExceedsGpu,
                _ => Failure::HeuristicFailed,
            }),
            bound: self.bound,
            stats: self.stats,
            sensitivity: None,
        }
    }
}
