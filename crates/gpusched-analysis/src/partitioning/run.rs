//! Runs a heuristic: what each starts with, and the plan that comes of it.

use std::time::Instant;

use super::heuristic::{Goal, Heuristic};
use super::improve::{SEED, gather, improve, mend};
use super::kind::HeuristicKind;
use super::merge::{Preference, Rules, merge_by_matching, merge_by_savings, partition_and_allocate};
use super::search::examiner::outlook::Outlook;
use super::search::outcome::elapsed_ns;
use super::search::{Candidate, Examiner, Experience, Outcome, Problem, Sizes, lemmas, parts_of};
use super::traffic::Traffic;
use super::{auto, baselines, margin, optimal};
use gpusched_model::SharedMemory;
use gpusched_model::plan::{Failure, LowerBound, Plan, SearchStats};

/// Partitions the GPU of `problem` by `heuristic`, which deals with memory traffic, if that counts, in every [way](Traffic::All).
pub fn partition(problem: &Problem<'_>, heuristic: &Heuristic) -> Plan {
    partition_by(problem, heuristic, Traffic::All)
}

/// The same by one way to deal with memory traffic, where that counts.
pub fn partition_by(problem: &Problem<'_>, heuristic: &Heuristic, traffic: Traffic) -> Plan {
    match heuristic.goal() {
        Goal::Margin => margin::widest(problem, heuristic, traffic),
        Goal::Sms { .. } | Goal::Feasible => {
            search(problem, heuristic, traffic, &mut Experience::default()).0
        }
    }
}

/// One search, and whether its lower bound proves that no plan exists. Shares that are no SMs leave a plan without the bound.
///
/// It starts from `experience` and leaves its own there.
pub(crate) fn search(
    problem: &Problem<'_>,
    heuristic: &Heuristic,
    traffic: Traffic,
    experience: &mut Experience,
) -> (Plan, bool) {
    let examiner = &mut Examiner::new(problem);
    let singles = match lemmas::smallest_partitions(examiner) {
        Ok(singles) => singles,
        Err(failure) => {
            let plan = Plan {
                schedulable: false,
                gpu_sms: problem.sms(),
                hardware: problem.offer().map(|offer| offer.hardware().clone()),
                interference: problem.interference_name(),
                memory: problem.memory(),
                sms_used: 0,
                partitions: Vec::new(),
                failure: Some(failure),
                bound: None,
                margin: None,
                stats: SearchStats::default(),
                sensitivity: None,
                assumptions: None,
            };
            return (plan, false);
        }
    };
    let Some(memory) = problem.memory() else {
        std::mem::swap(examiner.experience(), experience);
        let found = search_and_bound(examiner, singles, heuristic);
        std::mem::swap(examiner.experience(), experience);
        let excluded = found.excluded;
        return (found.into_plan(problem), excluded);
    };
    let one = [traffic];
    let ways: &[Traffic] = match traffic {
        // A search without traffic bounds the SMs of all plans, and takes a small part of the time.
        Traffic::All if heuristic.seeks_bound() => &[Traffic::Ignore, Traffic::Heed],
        Traffic::All => &[Traffic::Heed, Traffic::Gather, Traffic::Ignore],
        _ => &one,
    };
    let mut first: Option<Plan> = None;
    let mut bound: Option<LowerBound> = None;
    // One time limit for all. No bound comes of tests beside traffic, which it may cut short.
    let limit = heuristic.limits().and_then(|limits| limits.time);
    let start = Instant::now();
    examiner.stop_at(limit.and_then(|limit| start.checked_add(limit)));
    for &way in ways {
        if first.is_some() && examiner.is_late() {
            break;
        }
        let left = limit.map(|limit| limit.saturating_sub(start.elapsed()));
        let left = match ways.last() == Some(&way) {
            true => left,
            false => left.map(|left| left / 2),
        };
        let mut found = search_by(examiner, &singles, &heuristic.within(left), (way, memory));
        // A group that passes beside others passes alone, so a bound without traffic holds. A bound from tests beside
        // traffic does not: how many SMs a group needs depends on how the others are divided.
        if way != Traffic::Heed {
            bound = found.bound.take().or(bound);
        }
        found.bound.clone_from(&bound);
        let mut plan = found.into_plan(problem);
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
        if first.as_ref().is_some_and(ends) {
            break;
        }
    }
    let mut plan = first.unwrap_or_else(|| Outcome::default().into_plan(problem));
    // Searches without a bound merge further than the fewest SMs ask for: fewer partitions delay each other less, one not at all.
    let others = [Heuristic::from(HeuristicKind::Sms), Heuristic::OneGpu];
    for other in others
        .iter()
        .filter(|_| traffic == Traffic::All && heuristic.seeks_bound())
    {
        if ends(&plan) || examiner.is_late() {
            break;
        }
        let found = search(problem, other, traffic, experience).0;
        plan.stats = found.stats.plus(&plan.stats);
        if found.schedulable {
            plan = Plan {
                bound: plan.bound,
                stats: plan.stats,
                ..found
            };
        }
    }
    (plan, false)
}

/// Whether no further search is of use after `plan`.
fn ends(plan: &Plan) -> bool {
    plan.schedulable || plan.failure == Some(Failure::BoundExceedsGpu)
}

/// The search of `heuristic` among partitions that share a memory, from `singles` on.
fn search_by(
    examiner: &mut Examiner<'_>,
    singles: &[Candidate],
    heuristic: &Heuristic,
    (way, memory): (Traffic, SharedMemory),
) -> Outcome {
    let problem = examiner.problem();
    let merges = matches!(heuristic, Heuristic::Sms { .. } | Heuristic::Bf { .. });
    examiner.expect(None);
    match way {
        Traffic::Heed => {
            examiner.expect(Some(Outlook::new(problem, singles)));
            // A task that no size is enough for, beside all others, may be helped by a merge.
            let grown = singles.iter().map(|single| {
                let task = single.tasks.first().copied().unwrap_or_default();
                lemmas::smallest_partition(examiner, task).unwrap_or_else(|| single.clone())
            });
            let grown: Vec<Candidate> = grown.collect();
            let found = search_from(examiner, grown, heuristic);
            let partitions = match merges {
                true => mend(examiner, found.partitions),
                false => found.partitions,
            };
            Outcome {
                partitions,
                stats: found.stats,
                ..Outcome::default()
            }
        }
        Traffic::Gather if merges => {
            let gathered = gather(examiner, memory, mergeable(problem, singles.to_vec()));
            search_from(examiner, gathered, heuristic)
        }
        _ => search_and_bound(examiner, singles.to_vec(), heuristic),
    }
}

/// [`search_from`], with a bound in SMs where shares are none.
fn search_and_bound(examiner: &mut Examiner<'_>, singles: Vec<Candidate>, heuristic: &Heuristic) -> Outcome {
    let problem = examiner.problem();
    let excludes = |found: &Outcome| {
        found
            .bound
            .as_ref()
            .is_some_and(|bound| bound.sms > problem.shares())
    };
    let Some(offer) = problem
        .offer()
        .filter(|offer| !offer.counts_sms() && heuristic.seeks_bound())
    else {
        let found = search_from(examiner, singles, heuristic);
        return Outcome {
            excluded: excludes(&found),
            ..found
        };
    };
    let limit = heuristic.limits().and_then(|limits| limits.time);
    let heuristic = &heuristic.within(limit.map(|limit| limit / 2));
    let found = search_from(examiner, singles, heuristic);
    let relaxed = offer.relaxed();
    let bounded = problem.relaxed(&relaxed);
    let examiner = &mut Examiner::new(&bounded);
    let bound = lemmas::smallest_partitions(examiner)
        .ok()
        .and_then(|singles| search_from(examiner, singles, heuristic).bound);
    let excluded = excludes(&found);
    Outcome {
        bound,
        excluded,
        ..found
    }
}

/// The search of `heuristic`, from the smallest partition of each task on.
fn search_from(examiner: &mut Examiner<'_>, singles: Vec<Candidate>, heuristic: &Heuristic) -> Outcome {
    let problem = examiner.problem();
    let aim = heuristic.aim(problem);
    let target = aim.target(lemmas::least_sms_of_all(problem));
    let start = Instant::now();
    let found = match *heuristic {
        Heuristic::OneGpu => baselines::one_gpu(problem),
        Heuristic::OnePerPartition { .. } => baselines::one_per_partition(singles),
        Heuristic::Ffd { split, .. } => baselines::equal_split(examiner, baselines::Fit::First, split),
        Heuristic::Wfd { split, .. } => baselines::equal_split(examiner, baselines::Fit::Worst, split),
        Heuristic::Sms { forbidden, order, .. } => {
            let preference = Preference::FewestSms;
            let rules = Rules {
                forbidden,
                order,
                preference,
            };
            partition_and_allocate(examiner, mergeable(problem, singles), rules, problem.shares())
        }
        Heuristic::Bf {
            forbidden,
            order,
            measure,
            direction,
            ..
        } => {
            let preference = Preference::BestFit { measure, direction };
            let rules = Rules {
                forbidden,
                order,
                preference,
            };
            partition_and_allocate(examiner, mergeable(problem, singles), rules, problem.shares())
        }
        Heuristic::Savings { .. } => {
            let mut partitions = mergeable(problem, singles);
            let tested = merge_by_savings(examiner, &mut partitions, target);
            merged(partitions, tested, start)
        }
        Heuristic::Matching { .. } => {
            let mut partitions = mergeable(problem, singles);
            let tested = merge_by_matching(examiner, &mut partitions, target);
            merged(partitions, tested, start)
        }
        Heuristic::Auto { limits, .. } => {
            let limits = heuristic.spends(limits, problem.tasks().len(), examiner.expects_traffic());
            return auto::auto(examiner, mergeable(problem, singles), (aim, target), limits);
        }
        Heuristic::Optimal { limits, solver, .. } => {
            let limits = heuristic.spends(limits, problem.tasks().len(), examiner.expects_traffic());
            return optimal::optimal(
                examiner,
                mergeable(problem, singles),
                (aim, target),
                limits,
                solver,
            );
        }
    };
    let Some(limits) = heuristic.limits().filter(|_| found.is_whole(problem)) else {
        return found;
    };
    let limits = heuristic.spends(limits, problem.tasks().len(), examiner.expects_traffic());
    let mut sizes = Sizes::new(examiner, limits.start());
    let mut parts = parts_of(found.partitions);
    improve(&mut sizes, &mut parts, target, SEED);
    let ended_by = sizes.ended_by(&parts, target);
    let tested = found.stats.merges_tested + sizes.tested();
    let mut outcome = Outcome::of_parts(problem, parts, tested, start);
    outcome.stats.ended_by = ended_by;
    outcome.stats.prefill_merges = found.stats.prefill_merges;
    outcome.stats.prefill_ns = found.stats.prefill_ns;
    outcome.stats.search_ns = outcome.stats.search_ns.saturating_sub(found.stats.prefill_ns);
    outcome
}

/// `singles`, ready to be merged.
fn mergeable(problem: &Problem<'_>, singles: Vec<Candidate>) -> Vec<Candidate> {
    singles
        .into_iter()
        .map(|single| single.mergeable(problem))
        .collect()
}

/// What a search by merges alone ends with, which `merges_tested` since `start`.
fn merged(partitions: Vec<Candidate>, merges_tested: u64, start: Instant) -> Outcome {
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
