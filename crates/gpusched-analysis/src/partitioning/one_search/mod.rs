//! One search by one heuristic, from the smallest partition of each task to partitions.
//!
//! * [`auto`]: the portfolio search, and searches for a proof that no plan exists.

pub(super) mod auto;

use std::time::Instant;

use super::heuristic::effort::MANY;
use super::heuristic::{Heuristic, HeuristicKind};
use super::improve::{SEED, improve};
use super::merge::{merge_by_matching, merge_by_savings, partition_and_allocate};
use super::problem::Problem;
use super::search::budget::Budget;
use super::search::{Aim, Candidate, GroupTester, Outcome, Sizes, lemmas, parts_of};
use super::{baselines, optimal};

/// Runs [`search_from`]. If an allocation unit is not one SM (under MIG), also computes a lower
/// bound in SMs.
pub(super) fn search_and_bound(
    tester: &mut GroupTester<'_>,
    singles: Vec<Candidate>,
    heuristic: &Heuristic,
) -> Outcome {
    let problem = tester.problem();
    let by_units = { problem.offer() }.filter(|offer| !offer.counts_sms() && heuristic.seeks_bound());
    // The search for the bound in SMs gets half of the time.
    let limit = heuristic.options().time_limit;
    let heuristic = &match by_units {
        Some(_) => heuristic.within(limit.map(|limit| limit / 2)),
        None => *heuristic,
    };
    let found = search_from(tester, singles, heuristic);
    let excluded = found.excludes(problem);
    let bound = match by_units {
        Some(offer) => {
            let relaxed = offer.relaxed();
            let bounded = problem.relaxed(&relaxed);
            let tester = &mut GroupTester::new(&bounded);
            let singles = lemmas::smallest_partitions(tester).ok();
            singles.and_then(|singles| search_from(tester, singles, heuristic).bound)
        }
        None => found.bound,
    };
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
    let tasks = problem.tasks().len();
    let aim = Aim::of(heuristic, problem);
    let target = aim.target(lemmas::least_sms_of_all(problem));
    let limits = heuristic.limits(tasks, tester.expects_traffic());
    let split = heuristic.options().split;
    let start = Instant::now();
    let found = match heuristic.kind() {
        HeuristicKind::OneGpu => {
            let whole = Candidate::unmerged(problem, problem.shares(), (0..tasks).collect());
            Outcome::untested(vec![whole])
        }
        HeuristicKind::OnePerPartition => Outcome::untested(singles),
        HeuristicKind::Ffd => baselines::equal_split(tester, baselines::Fit::First, split),
        HeuristicKind::Wfd => baselines::equal_split(tester, baselines::Fit::Worst, split),
        HeuristicKind::Sms | HeuristicKind::Bf => {
            let target = problem.enough_shares();
            partition_and_allocate(tester, mergeable(problem, singles), heuristic, target)
        }
        HeuristicKind::Savings => {
            let mut partitions = mergeable(problem, singles);
            let tested = merge_by_savings(tester, &mut partitions, target);
            Outcome::of_merges(partitions, tested, start)
        }
        HeuristicKind::Matching => {
            let mut partitions = mergeable(problem, singles);
            let tested = merge_by_matching(tester, &mut partitions, target);
            Outcome::of_merges(partitions, tested, start)
        }
        HeuristicKind::Auto if tasks > MANY => return auto::auto_of_many(tester, &singles, aim),
        HeuristicKind::Auto => {
            return auto::auto(tester, mergeable(problem, singles), (aim, target), limits);
        }
        HeuristicKind::Optimal => {
            return optimal::optimal(tester, mergeable(problem, singles), (aim, target), limits);
        }
    };
    if !heuristic.options().improve || !found.is_whole(problem) {
        return found;
    }
    let mut sizes = Sizes::new(tester, Budget::start(limits));
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
