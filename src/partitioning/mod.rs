//! Which tasks share a partition, and how many SMs each partition gets ([Singh21] §3.5).
//!
//! * [`Problem`]: the tasks, the GPU, the test and the interference model;
//! * [`lemmas`]: Lemmas 1–3;
//! * `search`: Algorithm 1, with `merge` (Algorithm 2), `select` (Algorithm 3), the relations ≫ and > in
//!   [`order`], and the [`forbidden`] list (ACT, INA);
//! * `examiner`: the test as the searches ask it, with its tables (`costs`) and its short cuts (`load`);
//! * `baselines`: one partition, one partition per task, first-fit and worst-fit on an equal split.
//!
//! Everything is deterministic: each file states how it breaks ties.

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
mod merge;
pub mod order;
mod problem;
mod relation;
mod search;
mod select;
pub mod sensitivity;
mod work;

pub use candidate::Candidate;
pub use heuristic::{Heuristic, HeuristicKind};
pub use problem::Problem;
pub use sensitivity::sensitivity;

use examiner::Examiner;

use crate::model::plan::{Failure, Partition, Plan, SearchStats};

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
                stats: SearchStats::default(),
                sensitivity: None,
            };
        }
    };
    let outcome = match heuristic.kind {
        HeuristicKind::OneGpu => baselines::one_gpu(problem),
        HeuristicKind::OnePerPartition => baselines::one_per_partition(singles),
        HeuristicKind::Ffd => baselines::equal_split(examiner, baselines::Fit::First, heuristic.split),
        HeuristicKind::Wfd => baselines::equal_split(examiner, baselines::Fit::Worst, heuristic.split),
        HeuristicKind::Sms | HeuristicKind::Bf => {
            let singles = singles.into_iter().map(|single| single.mergeable(problem));
            search::partition_and_allocate(examiner, singles.collect(), heuristic)
        }
    };
    outcome.into_plan(problem)
}

/// What a heuristic ends with.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// The partitions at the end of the search.
    pub partitions: Vec<Candidate>,
    /// What it cost.
    pub stats: SearchStats,
}

impl Outcome {
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
            failure: (!schedulable).then_some(Failure::HeuristicFailed),
            stats: self.stats,
            sensitivity: None,
        }
    }
}
