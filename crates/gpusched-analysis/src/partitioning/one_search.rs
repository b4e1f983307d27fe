//! One search by one heuristic, from the smallest partition of each task to partitions.

use std::time::Instant;

use super::budgets::MANY;
use super::heuristic::Heuristic;
use super::improve::{SEED, improve};
use super::merge::{Preference, Rules, merge_by_matching, merge_by_savings, partition_and_allocate};
use super::search::{Candidate, GroupTester, Outcome, Problem, Sizes, lemmas, parts_of};
use super::{auto, baselines, optimal};

/// Runs [`search_from`]. If an allocation unit is not one SM (under MIG), also computes a lower
/// bound in SMs.
pub(super) fn search_and_bound(
    tester: &mut GroupTester<'_>,
    singles: Vec<Candidate>,
    heuristic: &Heuristic,
) -> Outcome {
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
pub(super) fn search_from(
    tester: &mut GroupTester<'_>,
    singles: Vec<Candidate>,
    heuristic: &Heuristic,
) -> Outcome {
    let problem = tester.problem();
    let aim = heuristic.aim(problem);
    let target = aim.target(lemmas::least_sms_of_all(problem));
    let start = Instant::now();
    let found = match *heuristic {
        Heuristic::OneGpu => baselines::one_gpu(problem),
        Heuristic::OnePerPartition { .. } => baselines::one_per_partition(singles),
        Heuristic::Ffd { split, .. } => baselines::equal_split(tester, baselines::Fit::First, split),
        Heuristic::Wfd { split, .. } => baselines::equal_split(tester, baselines::Fit::Worst, split),
        Heuristic::Sms {
            forbidden,
            order,
            ties,
            ..
        } => by_rules(
            tester,
            singles,
            Rules {
                forbidden,
                order,
                preference: Preference::FewestSms { ties },
            },
        ),
        Heuristic::Bf {
            forbidden,
            order,
            measure,
            direction,
            ..
        } => by_rules(
            tester,
            singles,
            Rules {
                forbidden,
                order,
                preference: Preference::BestFit { measure, direction },
            },
        ),
        Heuristic::Savings { .. } => {
            let mut partitions = mergeable(problem, singles);
            let tested = merge_by_savings(tester, &mut partitions, target);
            Outcome::of_merges(partitions, tested, start)
        }
        Heuristic::Matching { .. } => {
            let mut partitions = mergeable(problem, singles);
            let tested = merge_by_matching(tester, &mut partitions, target);
            Outcome::of_merges(partitions, tested, start)
        }
        Heuristic::Auto { .. } if problem.tasks().len() > MANY => {
            return auto::auto_of_many(tester, &singles, aim);
        }
        Heuristic::Auto { limits, .. } => {
            let limits = heuristic.spends(limits, problem.tasks().len(), tester.expects_traffic());
            return auto::auto(tester, mergeable(problem, singles), (aim, target), limits);
        }
        Heuristic::Optimal { limits, .. } => {
            let limits = heuristic.spends(limits, problem.tasks().len(), tester.expects_traffic());
            return optimal::optimal(tester, mergeable(problem, singles), (aim, target), limits);
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
pub(super) fn mergeable(problem: &Problem<'_>, singles: Vec<Candidate>) -> Vec<Candidate> {
    singles
        .into_iter()
        .map(|single| single.mergeable(problem))
        .collect()
}

/// Runs Algorithm 1 with `rules`.
fn by_rules(tester: &mut GroupTester<'_>, singles: Vec<Candidate>, rules: Rules) -> Outcome {
    let problem = tester.problem();
    let singles = mergeable(problem, singles);
    partition_and_allocate(tester, singles, rules, problem.enough_shares())
}
