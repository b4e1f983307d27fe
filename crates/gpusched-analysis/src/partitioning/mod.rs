//! Which tasks share a partition, and how many SMs each partition gets ([Singh21] §3.5).
//!
//! * [`Problem`]: the tasks, the GPU, the test and the interference model;
//! * [`lemmas`]: Lemmas 1–3;
//! * `search`: Algorithm 1, with `merge` (Algorithm 2), `select` (Algorithm 3), the relations ≫ and > in
//!   [`order`], and the [`forbidden`] list (ACT, INA);
//! * `memory`: partitions that share a memory, and so disturb each other; `outlook`, `mend` and `gather`: what
//!   searches make of it;
//! * `examiner`: the test as the searches ask it, with its tables (`costs`) and its short cuts (`load`);
//! * `savings`, `matching`: merges chosen among all pairs at once; `seeding`: pairs of different kinds; `local_search`: few partitions divided anew, from any
//!   plan; `auto`: all of them;
//! * `optimal`: the fewest SMs, with a lower bound and its proof;
//! * [`offer`]: the sizes that hardware gives, and where partitions of them go; `placed`: the last plan that had a place;
//! * `baselines`: one partition, one partition per task, first-fit and worst-fit on an equal split.
//!
//! Everything is deterministic: each file states how it breaks ties.

mod auto;
mod baselines;
mod budgets;
mod candidate;
mod costs;
mod effects;
mod examiner;
mod focus;
pub mod forbidden;
mod gather;
mod group;
mod heuristic;
pub mod lemmas;
mod list;
mod load;
mod local_search;
mod matching;
mod memory;
mod mend;
mod merge;
mod objective;
pub mod offer;
mod optimal;
pub mod order;
mod outlook;
mod placed;
mod problem;
mod relation;
mod savings;
mod search;
mod seeding;
mod select;
pub mod sensitivity;
mod sizes;
mod work;

pub use budgets::{AUTO_BUDGET, OPTIMAL_BUDGET, default_budget};
pub use candidate::Candidate;
pub use effects::{NEAR_ENOUGH, listed, near_enough};
pub use heuristic::is_zero;
pub use heuristic::{Heuristic, HeuristicKind, Solver, Traffic};
pub use objective::Objective;
pub use offer::{Offer, Placed};
pub use problem::Problem;
pub use sensitivity::sensitivity;

use std::time::{Duration, Instant};

use examiner::Examiner;
use outlook::Outlook;

use gpusched_model::SharedMemory;
use gpusched_model::plan::{Failure, LowerBound, Partition, Plan, SearchStats};

/// Partitions the GPU of `problem` by `heuristic`.
pub fn partition(problem: &Problem<'_>, heuristic: &Heuristic) -> Plan {
    let examiner = &mut Examiner::new(problem);
    let singles = match lemmas::smallest_partitions(examiner) {
        Ok(singles) => singles,
        Err(failure) => {
            return Plan {
                schedulable: false,
                gpu_sms: problem.sms(),
                hardware: problem.offer().map(|offer| offer.hardware().clone()),
                interference: problem.interference_name(),
                memory: problem.memory(),
                sms_used: 0,
                partitions: Vec::new(),
                failure: Some(failure),
                bound: None,
                stats: SearchStats::default(),
                sensitivity: None,
            };
        }
    };
    let Some(memory) = problem.memory() else {
        return search_from(examiner, singles, heuristic).into_plan(problem);
    };
    let one = [heuristic.traffic];
    let ways: &[Traffic] = match heuristic.traffic {
        Traffic::All => &[Traffic::Heed, Traffic::Gather, Traffic::Ignore],
        _ => &one,
    };
    let mut first: Option<Plan> = None;
    // One time limit for all: without a bound there is nothing that a test cut short could make wrong.
    let limit = heuristic.time_limit_ms.map(Duration::from_millis);
    let start = Instant::now();
    examiner.stop_at(limit.and_then(|limit| start.checked_add(limit)));
    for &way in ways {
        if first.is_some() && examiner.is_late() {
            break;
        }
        let left = limit.map(|limit| limit.saturating_sub(start.elapsed()).as_millis());
        let heuristic = &Heuristic {
            time_limit_ms: left.map(|left| u64::try_from(left).unwrap_or(u64::MAX)),
            ..*heuristic
        };
        let found = search_by(examiner, &singles, heuristic, (way, memory));
        // What others do depends on how they are divided, so no group has a size of its own to bound a plan by.
        let mut plan = Outcome { bound: None, ..found }.into_plan(problem);
        if let Some(before) = &first {
            plan.stats = plan.stats.plus(&before.stats);
        }
        // Of plans that fail, one that fits says most.
        first = match first {
            Some(before) if !plan.schedulable && lemmas::fits(before.sms_used, problem.sms()) => Some(Plan {
                stats: plan.stats,
                ..before
            }),
            _ => Some(plan),
        };
        if first.as_ref().is_some_and(|plan| plan.schedulable) {
            break;
        }
    }
    first.unwrap_or_else(|| Outcome::default().into_plan(problem))
}

/// The search of `heuristic` among partitions that share a memory, from `singles` on.
fn search_by(
    examiner: &mut Examiner<'_>,
    singles: &[Candidate],
    heuristic: &Heuristic,
    (way, memory): (Traffic, SharedMemory),
) -> Outcome {
    let problem = examiner.problem();
    let merges = matches!(heuristic.kind, HeuristicKind::Sms | HeuristicKind::Bf);
    examiner.expect(None);
    match way {
        Traffic::Heed => {
            examiner.expect(Outlook::new(problem, singles));
            // A task that no size is enough for, beside all others, may be helped by a merge.
            let grown = singles.iter().map(|single| {
                let task = single.tasks.first().copied().unwrap_or_default();
                lemmas::smallest_partition(examiner, task).unwrap_or_else(|| single.clone())
            });
            let grown: Vec<Candidate> = grown.collect();
            let found = search_from(examiner, grown, heuristic);
            let partitions = match merges {
                true => mend::mend(examiner, found.partitions),
                false => found.partitions,
            };
            Outcome {
                partitions,
                bound: None,
                stats: found.stats,
            }
        }
        Traffic::Gather if merges => {
            let singles = singles.iter().cloned().map(|single| single.mergeable(problem));
            let gathered = gather::gather(examiner, memory, singles.collect());
            search_from(examiner, gathered, heuristic)
        }
        _ => search_from(examiner, singles.to_vec(), heuristic),
    }
}

/// The search of `heuristic`, from the smallest partition of each task on.
fn search_from(examiner: &mut Examiner<'_>, singles: Vec<Candidate>, heuristic: &Heuristic) -> Outcome {
    let problem = examiner.problem();
    let mut heuristic = *heuristic;
    if problem.has_places() {
        // Whose shares are there may still have no place: the fewer, the better.
        heuristic.objective = Objective::Sms;
        heuristic.gap = 0;
    }
    if !HeuristicKind::heeding("gap", false).is_some_and(|kinds| kinds.contains(&heuristic.kind)) {
        heuristic.gap = 0;
    }
    let heuristic = &heuristic;
    let target = auto::target(examiner, heuristic);
    let start = Instant::now();
    let mut outcome = match heuristic.kind {
        HeuristicKind::OneGpu => baselines::one_gpu(problem),
        HeuristicKind::OnePerPartition => baselines::one_per_partition(singles),
        HeuristicKind::Ffd => baselines::equal_split(examiner, baselines::Fit::First, heuristic.split),
        HeuristicKind::Wfd => baselines::equal_split(examiner, baselines::Fit::Worst, heuristic.split),
        HeuristicKind::Sms | HeuristicKind::Bf => {
            let singles = singles.into_iter().map(|single| single.mergeable(problem));
            search::partition_and_allocate(examiner, singles.collect(), heuristic, problem.shares())
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
        let budget = heuristic.budget(problem);
        let parts = auto::parts_of(outcome.partitions);
        let tested = outcome.stats.merges_tested;
        let prefill = outcome.stats;
        outcome = auto::improved(examiner, parts, target, budget, tested, start);
        outcome.stats.prefill_merges = prefill.prefill_merges;
        outcome.stats.prefill_ns = prefill.prefill_ns;
        outcome.stats.search_ns = outcome.stats.search_ns.saturating_sub(prefill.prefill_ns);
    }
    outcome
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
                .all(|partition| problem.accepts(&partition.tasks, problem.sms_of(partition.sms)))
    }

    /// Lemma 3 on the partitions, and the verdict of each.
    fn into_plan(self, problem: &Problem<'_>) -> Plan {
        let (parts, fits) = placed(problem, self.partitions);
        let pairs: Vec<(&[usize], u32)> = parts.iter().map(|(tasks, at)| (&tasks[..], at.sms)).collect();
        let verdicts = problem.verdicts(&pairs);
        let mut partitions: Vec<Partition> = parts
            .into_iter()
            .zip(verdicts)
            .map(|((tasks, at), verdict)| Partition {
                verdict,
                sms: at.sms,
                place: at.place,
                tasks,
            })
            .collect();
        partitions.sort_by(|a, b| b.sms.cmp(&a.sms).then_with(|| a.tasks.cmp(&b.tasks)));
        let sms_used = partitions
            .iter()
            .fold(0u32, |sum, partition| sum.saturating_add(partition.sms));
        let tasks: usize = partitions.iter().map(|partition| partition.tasks.len()).sum();
        let schedulable = tasks == problem.tasks().len()
            && fits
            && lemmas::fits(sms_used, problem.sms())
            && partitions.iter().all(|partition| partition.verdict.schedulable);
        // A bound on shares that are no SMs says nothing that a plan could state.
        let counts_sms = problem.offer().is_none_or(Offer::counts_sms);
        let bound = self.bound.filter(|_| counts_sms);
        Plan {
            schedulable,
            gpu_sms: problem.sms(),
            hardware: problem.offer().map(|offer| offer.hardware().clone()),
            interference: problem.interference_name(),
            memory: problem.memory(),
            sms_used,
            partitions,
            failure: (!schedulable).then_some(match &bound {
                Some(bound) if bound.sms > problem.sms() => Failure::BoundExceedsGpu,
                _ => Failure::HeuristicFailed,
            }),
            bound,
            stats: self.stats,
            sensitivity: None,
        }
    }
}

/// The tasks of `partitions` with their SMs, and whether the hardware has room for all, if there is any to ask.
fn placed(problem: &Problem<'_>, partitions: Vec<Candidate>) -> (Vec<(Vec<usize>, Placed)>, bool) {
    let parts = partitions.into_iter().map(|candidate| {
        let sms = problem.sms_of(candidate.sms);
        (candidate.tasks, Placed { sms, place: None })
    });
    let mut parts: Vec<(Vec<usize>, Placed)> = parts.collect();
    let Some(offer) = problem.offer() else {
        return (parts, true);
    };
    parts.sort_by(|(a, first), (b, second)| second.sms.cmp(&first.sms).then_with(|| a.cmp(b)));
    let sizes: Vec<u32> = parts.iter().map(|(_, at)| at.sms).collect();
    match offer.place(&sizes) {
        None => (parts, false),
        Some(placed) => {
            assert_eq!(placed.len(), parts.len(), "a place for each partition");
            for ((_, at), placed) in parts.iter_mut().zip(placed) {
                *at = placed;
            }
            (parts, true)
        }
    }
}
