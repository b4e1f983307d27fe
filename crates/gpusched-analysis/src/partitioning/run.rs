//! Execution of a heuristic, from its initial partitions to the resulting plan.

use std::time::Instant;

use super::hardware::Offer;
use super::heuristic::{Goal, Heuristic};
use super::improve::{SEED, improve, merge_by_traffic, repair};
use super::kind::HeuristicKind;
use super::merge::{Preference, Rules, merge_by_matching, merge_by_savings, partition_and_allocate};
use super::search::outcome::elapsed_ns;
use super::search::tester::expected_traffic::ExpectedTraffic;
use super::search::{Candidate, Experience, GroupTester, Outcome, Problem, Sizes, lemmas, parts_of};
use super::traffic::Traffic;
use super::{auto, baselines, margin, optimal};
use gpusched_model::SharedMemory;
use gpusched_model::plan::{Failure, LowerBound, Plan, SearchStats};

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
    let found = auto::prove(tester, mergeable(problem, singles), spare, limits);
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
fn search_beside(
    tester: &mut GroupTester<'_>,
    singles: &[Candidate],
    asked: &Heuristic,
    (traffic, memory): (Traffic, SharedMemory),
) -> (Plan, bool) {
    let problem = tester.problem();
    let all = [Traffic::Heed, Traffic::Merge, Traffic::Ignore];
    let ways: Vec<(Heuristic, Traffic)> = match traffic {
        // A search without memory traffic is much faster. The first search therefore ignores memory traffic and
        // computes the lower bound on the SMs. The last searches produce plans with fewer partitions, because fewer
        // partitions cause less interference. A single partition on the whole GPU has no interference from other
        // partitions.
        Traffic::All if asked.seeks_bound() => {
            let own = [Traffic::Ignore, Traffic::Heed].map(|way| (*asked, way));
            let merges = all.map(|way| (HeuristicKind::Sms.into(), way));
            let last = [(Heuristic::OneGpu, Traffic::Ignore)];
            own.into_iter().chain(merges).chain(last).collect()
        }
        Traffic::All => all.map(|way| (*asked, way)).to_vec(),
        one => vec![(*asked, one)],
    };
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
        // Each search gets half of the remaining time. The last search that has a time limit gets all of the remaining
        // time.
        let is_last = ways
            .iter()
            .skip(index + 1)
            .all(|(later, _)| later.limits().is_none());
        let left = match is_last {
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
        if let Some(before) = &first {
            plan.stats = plan.stats.plus(&before.stats);
        }
        // If the new plan fails, too, gpusched keeps the earlier plan in two cases: the earlier
        // plan fits the GPU, or the user did not request the heuristic of the new plan.
        let says_less = |before: &Plan| {
            let fits = lemmas::fits(before.sms_used, problem.sms());
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
    let plan = first.unwrap_or_else(|| Outcome::default().into_plan(problem));
    (plan, excluded)
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

/// Runs [`search_from`]. If an allocation unit is not one SM (under MIG), also computes a lower
/// bound in SMs.
fn search_and_bound(tester: &mut GroupTester<'_>, singles: Vec<Candidate>, heuristic: &Heuristic) -> Outcome {
    let problem = tester.problem();
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
        let found = search_from(tester, singles, heuristic);
        return Outcome {
            excluded: excludes(&found),
            ..found
        };
    };
    let limit = heuristic.limits().and_then(|limits| limits.time);
    let heuristic = &heuristic.within(limit.map(|limit| limit / 2));
    let found = search_from(tester, singles, heuristic);
    let relaxed = offer.relaxed();
    let bounded = problem.relaxed(&relaxed);
    let tester = &mut GroupTester::new(&bounded);
    let bound = lemmas::smallest_partitions(tester)
        .ok()
        .and_then(|singles| search_from(tester, singles, heuristic).bound);
    let excluded = excludes(&found);
    Outcome {
        bound,
        excluded,
        ..found
    }
}

/// Runs `heuristic`, starting from the smallest partition of each task.
fn search_from(tester: &mut GroupTester<'_>, singles: Vec<Candidate>, heuristic: &Heuristic) -> Outcome {
    let problem = tester.problem();
    let aim = heuristic.aim(problem);
    let target = aim.target(lemmas::least_sms_of_all(problem));
    let start = Instant::now();
    let found = match *heuristic {
        Heuristic::OneGpu => baselines::one_gpu(problem),
        Heuristic::OnePerPartition { .. } => baselines::one_per_partition(singles),
        Heuristic::Ffd { split, .. } => baselines::equal_split(tester, baselines::Fit::First, split),
        Heuristic::Wfd { split, .. } => baselines::equal_split(tester, baselines::Fit::Worst, split),
        Heuristic::Sms { forbidden, order, .. } => {
            let preference = Preference::FewestSms;
            let rules = Rules {
                forbidden,
                order,
                preference,
            };
            partition_and_allocate(
                tester,
                mergeable(problem, singles),
                rules,
                problem.enough_shares(),
            )
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
            partition_and_allocate(
                tester,
                mergeable(problem, singles),
                rules,
                problem.enough_shares(),
            )
        }
        Heuristic::Savings { .. } => {
            let mut partitions = mergeable(problem, singles);
            let tested = merge_by_savings(tester, &mut partitions, target);
            merged(partitions, tested, start)
        }
        Heuristic::Matching { .. } => {
            let mut partitions = mergeable(problem, singles);
            let tested = merge_by_matching(tester, &mut partitions, target);
            merged(partitions, tested, start)
        }
        Heuristic::Auto { limits, .. } => {
            let limits = heuristic.spends(limits, problem.tasks().len(), tester.expects_traffic());
            return auto::auto(tester, mergeable(problem, singles), (aim, target), limits);
        }
        Heuristic::Optimal { limits, solver, .. } => {
            let limits = heuristic.spends(limits, problem.tasks().len(), tester.expects_traffic());
            return optimal::optimal(tester, mergeable(problem, singles), (aim, target), limits, solver);
        }
    };
    let Some(limits) = heuristic.limits().filter(|_| found.is_whole(problem)) else {
        return found;
    };
    let limits = heuristic.spends(limits, problem.tasks().len(), tester.expects_traffic());
    let mut sizes = Sizes::new(tester, limits.start());
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

/// Returns `singles` with the data that merges require.
fn mergeable(problem: &Problem<'_>, singles: Vec<Candidate>) -> Vec<Candidate> {
    singles
        .into_iter()
        .map(|single| single.mergeable(problem))
        .collect()
}

/// Returns the outcome of a search that only merges partitions. The search started at `start` and
/// tested `merges_tested` merges.
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
