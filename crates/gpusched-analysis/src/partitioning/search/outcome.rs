//! Result of a search, and its conversion to a plan.

use std::time::Instant;

use super::candidate::Candidate;
use super::lemmas;
use super::part::Part;
use crate::partitioning::problem::Problem;
use crate::partitioning::problem::hardware::Placed;
use gpusched_model::assumptions::Ports;
use gpusched_model::plan::{Failure, LowerBound, Partition, Plan, Proof, SearchStats};

/// Result of a heuristic.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outcome {
    /// Partitions at the end of the search.
    pub partitions: Vec<Candidate>,
    /// Lower bound on the SMs of every plan.
    pub bound: Option<LowerBound>,
    /// Whether a lower bound on allocation units proves that no plan fits the GPU.
    pub excluded: bool,
    /// `Some` if the search enumerated all plans. `Some(None)` means that `partitions` has the
    /// fewest SMs on the hardware. `Some(Some(groups))` means that `groups` has the fewest SMs.
    /// Each group states the number of SMs that it needs.
    pub enumerated: Option<Option<Vec<Part>>>,
    /// Statistics of the search.
    pub stats: SearchStats,
}

/// Plan of a search, and whether its lower bound proves that no plan exists.
///
/// Under MIG, a bound on allocation units can exclude every plan, but the plan does not contain this bound.
pub(crate) struct Found {
    pub plan: Plan,
    pub excluded: bool,
}

impl Outcome {
    /// Creates the outcome of a search without tests.
    pub fn untested(partitions: Vec<Candidate>) -> Outcome {
        Outcome {
            partitions,
            ..Outcome::default()
        }
    }

    /// Creates the outcome of a search that only merges partitions. The search started at `start` and tested
    /// `merges_tested` merges.
    pub fn of_merges(partitions: Vec<Candidate>, merges_tested: u64, start: Instant) -> Outcome {
        Outcome {
            partitions,
            stats: SearchStats {
                merges_tested,
                search_ns: elapsed_ns(start),
                ..SearchStats::default()
            },
            ..Outcome::default()
        }
    }

    /// Creates an outcome that consists of `parts`, after `tested` tests since `start`.
    pub fn of_parts(problem: &Problem<'_>, parts: Vec<Part>, tested: u64, start: Instant) -> Outcome {
        let parts = parts.into_iter();
        let partitions = parts.map(|part| Candidate::unmerged(problem, part.sms, part.tasks));
        Outcome::of_merges(partitions.collect(), tested, start)
    }

    /// Whether every task is in a partition that passes its test. Local search requires this property.
    pub fn is_whole(&self, problem: &Problem<'_>) -> bool {
        let placed: usize = self.partitions.iter().map(|p| p.tasks.len()).sum();
        placed == problem.tasks().len()
            && self
                .partitions
                .iter()
                .all(|partition| problem.accepts(&partition.tasks, problem.sms_of(partition.sms)))
    }

    /// Whether the lower bound exceeds the allocation units of the GPU.
    pub fn excludes(&self, problem: &Problem<'_>) -> bool {
        self.bound
            .as_ref()
            .is_some_and(|bound| bound.sms > problem.shares())
    }

    /// Converts the outcome to its plan, see [`Outcome::into_plan`].
    pub fn into_found(self, problem: &Problem<'_>) -> Found {
        Found {
            excluded: self.excluded,
            plan: self.into_plan(problem),
        }
    }

    /// Places the partitions, computes their verdicts, and checks that the GPU has enough SMs
    /// (Lemma 3).
    pub fn into_plan(self, problem: &Problem<'_>) -> Plan {
        let enumerated = self.enumerated.is_some();
        let parts = self.enumerated.flatten().unwrap_or_else(|| {
            let part = |candidate: Candidate| Part {
                sms: problem.sms_of(candidate.sms),
                tasks: candidate.tasks,
            };
            self.partitions.into_iter().map(part).collect()
        });
        let (parts, fits) = placed(problem, parts);
        let plan = assembled(problem, parts, self.stats);
        let (schedulable, sms_used) = (plan.schedulable && fits, plan.sms_used);
        let mut bound = self.bound;
        if let Some(bound) = bound
            .as_mut()
            .filter(|bound| enumerated && schedulable && sms_used > bound.sms)
        {
            (bound.sms, bound.proof) = (sms_used, Proof::Search);
        }
        let mut stats = plan.stats;
        if schedulable && bound.as_ref().is_some_and(|bound| bound.sms == sms_used) {
            stats.ended_by = None; // no better plan exists
        }
        Plan {
            schedulable,
            failure: (!schedulable).then_some(match &bound {
                Some(bound) if bound.sms > problem.capacity() => Failure::BoundExceedsGpu,
                _ => Failure::HeuristicFailed,
            }),
            bound,
            stats,
            ..plan
        }
    }
}

/// Returns the plan with the partitions `parts`: their tasks and places, with their verdicts. The plan is schedulable if the
/// partitions contain all tasks, have at most as many SMs as the GPU, and pass their tests. It states no bound.
pub(in crate::partitioning) fn assembled(
    problem: &Problem<'_>,
    parts: Vec<(Vec<usize>, Placed)>,
    stats: SearchStats,
) -> Plan {
    let placed = parts.iter();
    let placed: Vec<_> = placed
        .map(|(tasks, at)| (&tasks[..], at.sms, at.place.as_ref()))
        .collect();
    let verdicts = problem.verdicts_at(&placed);
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
        && lemmas::fits(sms_used, problem.capacity())
        && partitions.iter().all(|partition| partition.verdict.schedulable);
    let mut plan = Plan {
        schedulable,
        identity: None,
        gpu_sms: problem.sms(),
        hardware: { problem.offer() }
            .map(|offer| offer.hardware().clone().with_ports(problem.memory().is_some())),
        interference: problem.interference_name(),
        memory: problem.memory(),
        overheads: problem.overheads(),
        overheads_origin: None,
        variation_percent: problem.variation_percent(),
        sms_used,
        partitions,
        shared_ports: None,
        assumptions: None,
        failure: (!schedulable).then_some(Failure::HeuristicFailed),
        bound: None,
        margin: None,
        stats,
        sensitivity: None,
    };
    plan.shared_ports = Some(Ports::shared(&plan)).filter(|ports| !ports.is_empty());
    plan
}

/// Places `parts` on the hardware. Each part states the number of SMs that it needs. Returns the tasks and the
/// placement of each part. Also returns whether all parts fit on the hardware. Without a device, each part gets the SMs
/// that it needs.
pub(in crate::partitioning) fn placed(
    problem: &Problem<'_>,
    parts: Vec<Part>,
) -> (Vec<(Vec<usize>, Placed)>, bool) {
    let parts = parts
        .into_iter()
        .map(|Part { sms, tasks }| (tasks, Placed { sms, place: None }));
    let mut parts: Vec<(Vec<usize>, Placed)> = parts.collect();
    let Some(offer) = problem.offer() else {
        return (parts, true);
    };
    parts.sort_by(|(a, first), (b, second)| second.sms.cmp(&first.sms).then_with(|| a.cmp(b)));
    let sizes: Vec<u32> = parts.iter().map(|(_, at)| at.sms).collect();
    let weights: Vec<u128> = parts
        .iter()
        .map(|(tasks, _)| problem.weight_at_ports(tasks))
        .collect();
    match offer.place_apart(&sizes, &weights) {
        None => (parts, false),
        Some(placed) => {
            assert_eq!(placed.len(), parts.len(), "one placement per partition");
            for ((_, at), placed) in parts.iter_mut().zip(placed) {
                *at = placed;
            }
            (parts, true)
        }
    }
}

/// Returns the time since `start` [ns].
pub(crate) fn elapsed_ns(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}
