//! Execution of a heuristic, from its initial partitions to the resulting plan.

use std::time::Instant;

use super::budgets::{MANY, fewest_budget};
use super::hardware::Offer;
use super::heuristic::{Goal, Heuristic};
use super::improve::{merge_by_traffic, repair};
use super::kind::HeuristicKind;
use super::one_search::{mergeable, search_and_bound, search_from};
use super::search::outcome::elapsed_ns;
use super::search::tester::expected_traffic::ExpectedTraffic;
use super::search::{Candidate, Experience, GroupTester, Outcome, Problem, lemmas, total};
use super::traffic::Traffic;
use super::{auto, beside, margin};
use gpusched_model::SharedMemory;
use gpusched_model::plan::{EndedBy, Failure, LowerBound, Plan, Proof, SearchStats};

/// Partitions the GPU of `problem` with `heuristic`. If tests count memory traffic, the search tries
/// [all](Traffic::All) treatments of memory traffic.
pub fn partition(problem: &Problem<'_>, heuristic: &Heuristic) -> Plan {
    partition_by(problem, heuristic, Traffic::All)
}

/// Partitions the GPU like [`partition`]. `traffic` selects how the search treats memory traffic.
pub fn partition_by(problem: &Problem<'_>, heuristic: &Heuristic, traffic: Traffic) -> Plan {
    match heuristic.goal() {
        Goal::Margin => margin::widest(problem, heuristic, traffic),
        Goal::Sms { .. } | Goal::Feasible => {
            search(problem, heuristic, traffic, &mut Experience::default()).0
        }
    }
}

/// Runs one search. Returns its plan, and whether the lower bound proves that no plan exists.
///
/// Under MIG, a bound on allocation units can exclude every plan, but the returned plan does not
/// contain this bound. The search uses the knowledge in `experience` from earlier searches, and
/// adds its own knowledge.
pub(crate) fn search(
    problem: &Problem<'_>,
    heuristic: &Heuristic,
    traffic: Traffic,
    experience: &mut Experience,
) -> (Plan, bool) {
    let tester = &mut GroupTester::new(problem);
    let singles = match lemmas::smallest_partitions(tester) {
        Ok(singles) => singles,
        Err(failure) => {
            return (without_plan(problem, failure), false);
        }
    };
    std::mem::swap(tester.experience(), experience);
    let found = match problem.memory() {
        None => {
            let found = search_and_bound(tester, singles, heuristic);
            let excluded = found.excluded;
            (found.into_plan(problem), excluded)
        }
        Some(memory) => search_beside(tester, &singles, heuristic, (traffic, memory)),
    };
    std::mem::swap(tester.experience(), experience);
    found
}

/// Searches for a proof that no plan of `problem` exists, without memory traffic. Returns the plan of the search, which may
/// fit the GPU, and whether the lower bound proves that no plan exists.
pub(crate) fn prove(
    problem: &Problem<'_>,
    heuristic: &Heuristic,
    spare: Option<u32>,
    experience: &mut Experience,
) -> (Plan, bool) {
    let tester = &mut GroupTester::new(problem);
    let singles = match lemmas::smallest_partitions(tester) {
        Ok(singles) => singles,
        Err(failure) => return (without_plan(problem, failure), false),
    };
    std::mem::swap(tester.experience(), experience);
    let limits = heuristic.limits().unwrap_or_default();
    let limits = heuristic.spends(limits, problem.tasks().len(), false);
    let found = match problem.tasks().len() > MANY {
        true => auto::auto_of_many(tester, &singles, heuristic.aim(problem)),
        false => auto::prove(tester, mergeable(problem, singles), spare, limits),
    };
    std::mem::swap(tester.experience(), experience);
    let excluded = found
        .bound
        .as_ref()
        .is_some_and(|bound| bound.sms > problem.shares());
    // Under MIG, the bound counts allocation units, and plans state only bounds on SMs.
    let counts_sms = problem.offer().is_none_or(Offer::counts_sms);
    let found = Outcome {
        bound: found.bound.filter(|_| counts_sms),
        ..found
    };
    (found.into_plan(problem), excluded)
}

/// Returns the result of a search that ends with Lemma 1 or 2.
fn without_plan(problem: &Problem<'_>, failure: Failure) -> Plan {
    Plan {
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
    }
}

/// Runs several searches for partitions that share `memory`, until one search finds a plan or proves that no plan exists.
/// Then searches for a plan with fewer SMs, if `asked` seeks the fewest SMs.
fn search_beside(
    tester: &mut GroupTester<'_>,
    singles: &[Candidate],
    asked: &Heuristic,
    (traffic, memory): (Traffic, SharedMemory),
) -> (Plan, bool) {
    let problem = tester.problem();
    let all = [Traffic::Heed, Traffic::Merge, Traffic::Ignore];
    let many = problem.tasks().len() > MANY;
    let ways: Vec<(Heuristic, Traffic)> = match traffic {
        // A search without memory traffic is much faster. The first search therefore ignores memory traffic and
        // computes the lower bound on the SMs. The last searches produce plans with fewer partitions, because fewer
        // partitions cause less interference. A single partition on the whole GPU has no interference from other
        // partitions.
        Traffic::All if asked.seeks_bound() => {
            let own = [Traffic::Ignore, Traffic::Heed].map(|way| (*asked, way));
            let merges = all.map(|way| (HeuristicKind::Sms.into(), way));
            let merges = merges.into_iter().filter(|_| !many);
            let last = [(Heuristic::OneGpu, Traffic::Ignore)];
            own.into_iter().chain(merges).chain(last).collect()
        }
        Traffic::All => all.map(|way| (*asked, way)).to_vec(),
        one => vec![(*asked, one)],
    };
    let seeks_fewest = traffic == Traffic::All && asked.seeks_bound() && !problem.is_sharp();
    // If partitions need a placement, a placed partition may be larger than the size that the last search tests.
    let improves = seeks_fewest && !problem.has_places() && !many;
    let mut starts: Vec<Vec<Vec<usize>>> = Vec::new();
    let mut first: Option<Plan> = None;
    let mut bound: Option<LowerBound> = None;
    let mut excluded = false;
    // One time limit applies to all searches together. After this time, every test with memory traffic fails, so
    // searches with memory traffic contribute no lower bound.
    let limit = asked.limits().and_then(|limits| limits.time);
    let start = Instant::now();
    tester.stop_at(limit.and_then(|limit| start.checked_add(limit)));
    for (index, (heuristic, way)) in ways.iter().enumerate() {
        if first.is_some() && tester.is_late() {
            break;
        }
        let left = limit.map(|limit| limit.saturating_sub(start.elapsed()));
        // Each search gets half of the remaining time. The last search gets all of the remaining time.
        let is_last = ways
            .iter()
            .skip(index + 1)
            .all(|(later, _)| later.limits().is_none());
        let left = match is_last && !improves {
            true => left,
            false => left.map(|left| left / 2),
        };
        let mut found = search_by(tester, singles, &heuristic.within(left), (*way, memory));
        // A group that passes with memory traffic also passes without memory traffic, so a bound from tests without
        // traffic is valid. With traffic, the number of SMs that a group needs depends on the other partitions. A bound
        // from tests with traffic is therefore invalid.
        if *way != Traffic::Heed {
            bound = found.bound.take().or(bound);
            excluded |= found.excluded;
        }
        found.bound.clone_from(&bound);
        let mut plan = found.into_plan(problem);
        starts.push(plan.partitions.iter().map(|part| part.tasks.clone()).collect());
        if let Some(before) = &first {
            plan.stats = plan.stats.plus(&before.stats);
        }
        // If the new plan fails, too, gpusched keeps the earlier plan in two cases: the earlier
        // plan fits the GPU, or the user did not request the heuristic of the new plan.
        let says_less = |before: &Plan| {
            let fits = lemmas::fits(before.sms_used, problem.capacity());
            !plan.schedulable && (fits || heuristic.kind() != asked.kind())
        };
        first = match first {
            Some(before) if says_less(&before) => Some(Plan {
                stats: plan.stats,
                ..before
            }),
            _ => Some(plan),
        };
        let ends = |plan: &Plan| plan.schedulable || plan.failure == Some(Failure::BoundExceedsGpu);
        if excluded || first.as_ref().is_some_and(ends) {
            break;
        }
    }
    let mut plan = first.unwrap_or_else(|| Outcome::default().into_plan(problem));
    let least = plan.bound.as_ref().map_or(1, |bound| bound.sms);
    let target = asked.aim(problem).target(least);
    let reached = plan.schedulable && plan.sms_used <= target;
    if !improves || excluded || reached {
        if seeks_fewest && !excluded && !reached {
            plan.stats.ended_by = plan.stats.ended_by.or(Some(EndedBy::Choices));
        }
        return (plan, excluded);
    }
    for way in all {
        if !tester.is_late() {
            let found = search_by(tester, singles, &HeuristicKind::Sms.into(), (way, memory));
            starts.push(found.partitions.into_iter().map(|part| part.tasks).collect());
        }
    }
    let tasks = 0..problem.tasks().len();
    starts.push(tasks.clone().map(|task| vec![task]).collect());
    starts.push(vec![tasks.collect()]);
    starts.retain(|groups| groups.iter().map(Vec::len).sum::<usize>() == problem.tasks().len());
    let left = limit.map(|limit| limit.saturating_sub(start.elapsed()));
    improved_beside(problem, &plan, &starts, (&asked.within(left), target))
}

/// Returns a plan with fewer SMs than `plan`, or `plan` with a better lower bound. Also returns whether no plan exists. The
/// search begins with `starts`, and ends at a plan of at most `target` SMs.
fn improved_beside(
    problem: &Problem<'_>,
    plan: &Plan,
    starts: &[Vec<Vec<usize>>],
    (asked, target): (&Heuristic, u32),
) -> (Plan, bool) {
    let begin = Instant::now();
    let least = plan.bound.as_ref().map_or(1, |bound| bound.sms);
    let limits = asked.limits().unwrap_or_default();
    let limits = limits.or(fewest_budget(asked.kind()));
    let most = if plan.schedulable {
        plan.sms_used
    } else {
        problem.capacity()
    };
    let found = beside::fewest(problem, starts, (target, most), limits);
    let fewest = match &found.better {
        Some(parts) => total(parts),
        None if plan.schedulable => plan.sms_used,
        None => problem.capacity().saturating_add(1),
    };
    let bound = plan.bound.clone();
    let bound = match found.complete && fewest > least {
        true => Some(LowerBound {
            sms: fewest,
            proof: Proof::Search,
            prices: bound.map_or_else(|| vec![0; problem.tasks().len()], |bound| bound.prices),
        }),
        false => bound,
    };
    let better = found
        .better
        .filter(|_| !plan.schedulable || fewest < plan.sms_used);
    let mut improved = match better {
        Some(parts) => {
            let mut outcome = Outcome::of_parts(problem, parts, 0, begin);
            outcome.bound = bound;
            outcome.into_plan(problem)
        }
        None => Plan {
            failure: match (&bound, plan.schedulable) {
                (Some(bound), false) if bound.sms > problem.capacity() => Some(Failure::BoundExceedsGpu),
                _ => plan.failure.clone(),
            },
            bound,
            ..plan.clone()
        },
    };
    improved.stats = SearchStats {
        merges_tested: found.tested,
        search_ns: elapsed_ns(begin),
        ended_by: None,
        ..SearchStats::default()
    }
    .plus(&plan.stats);
    improved.stats.ended_by = match found.ended_by {
        // More search effort may help if an earlier search reached its limit.
        Some(EndedBy::Choices) => plan.stats.ended_by.or(found.ended_by),
        ended_by => ended_by,
    };
    let excluded = improved.failure == Some(Failure::BoundExceedsGpu);
    (improved, excluded)
}

/// Runs `heuristic` for partitions that share a memory. `way` states how the search treats memory traffic. `singles`
/// contains the smallest partition of each task without memory traffic.
fn search_by(
    tester: &mut GroupTester<'_>,
    singles: &[Candidate],
    heuristic: &Heuristic,
    (way, memory): (Traffic, SharedMemory),
) -> Outcome {
    let problem = tester.problem();
    let merges = matches!(heuristic, Heuristic::Sms { .. } | Heuristic::Bf { .. });
    tester.expect(None);
    match way {
        Traffic::Heed => {
            tester.expect(Some(ExpectedTraffic::new(problem, singles)));
            // With the memory traffic of all other tasks, a task may fail on every partition size. Such a task keeps
            // its smallest size without traffic, because a later merge may help.
            let grown = singles.iter().map(|single| {
                let task = single.tasks.first().copied().unwrap_or_default();
                lemmas::smallest_partition(tester, task).unwrap_or_else(|| single.clone())
            });
            let grown: Vec<Candidate> = grown.collect();
            let found = search_from(tester, grown, heuristic);
            let partitions = match merges {
                true => repair(tester, found.partitions),
                false => found.partitions,
            };
            Outcome {
                partitions,
                stats: found.stats,
                ..Outcome::default()
            }
        }
        Traffic::Merge if merges => {
            let merged = merge_by_traffic(tester, memory, mergeable(problem, singles.to_vec()));
            search_from(tester, merged, heuristic)
        }
        _ => search_and_bound(tester, singles.to_vec(), heuristic),
    }
}
