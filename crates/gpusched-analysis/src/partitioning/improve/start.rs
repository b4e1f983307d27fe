//! Initial plan of a local search: the best plan of several searches that merge partitions.

use super::seeding::pairs_of_kinds;
use crate::partitioning::heuristic::HeuristicKind;
use crate::partitioning::merge::{merge_by_matching, merge_by_savings, partition_and_allocate};
use crate::partitioning::search::{Candidate, GroupTester, Part, parts_of, total};

/// Returns the initial plan with the fewest SMs, and the number of tested merges. Stops at the first plan that has at most
/// `target` SMs.
pub(crate) fn best_start(
    tester: &mut GroupTester<'_>,
    singles: Vec<Candidate>,
    target: u32,
) -> (Vec<Part>, u64) {
    let mut tested = 0;
    let mut best: Option<Vec<Part>> = None;
    for start in [Start::Savings, Start::Matching, Start::Kinds, Start::Sms] {
        let mut partitions = singles.clone();
        match start {
            Start::Savings => tested += merge_by_savings(tester, &mut partitions, target),
            Start::Matching => tested += merge_by_matching(tester, &mut partitions, target),
            Start::Kinds => {
                let (pairs, pairing) = pairs_of_kinds(tester, &partitions);
                partitions = pairs;
                tested += pairing + merge_by_savings(tester, &mut partitions, target);
            }
            Start::Sms => {
                let outcome = partition_and_allocate(tester, partitions, &HeuristicKind::Sms.into(), target);
                tested += outcome.stats.merges_tested;
                partitions = outcome.partitions;
            }
        }
        let parts = parts_of(partitions);
        let problem = tester.problem();
        let key = |parts: &[Part]| {
            (
                !problem.fits_places(parts.iter().map(|part| part.sms)),
                total(parts),
            )
        };
        if best.as_ref().is_none_or(|best| key(&parts) < key(best)) {
            best = Some(parts);
        }
        if best.as_ref().is_some_and(|best| total(best) <= target) {
            break;
        }
    }
    (best.unwrap_or_default(), tested)
}

/// Search that computes an initial plan.
#[derive(Copy, Clone)]
enum Start {
    Savings,
    Matching,
    /// Builds pairs of one compute task and one memory task, and then merges by savings.
    Kinds,
    Sms,
}
