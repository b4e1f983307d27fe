//! A portfolio: several starts, the best of them improved by local search until the budget is spent.

use super::examiner::Examiner;
use super::heuristic::Heuristic;
use super::lemmas;
use super::local_search::improve;
use super::matching::merge_by_matching;
use super::objective::Budget;
use super::savings::merge_by_savings;
use super::search::partition_and_allocate;
use super::sizes::{Part, Sizes, total};
use super::{Candidate, HeuristicKind, Outcome};

/// Groups tested by [`HeuristicKind::Auto`] unless the user says otherwise: some 50 ms for 50 tasks under EDF.
pub const AUTO_BUDGET: u64 = 200_000;

/// The best of SMS, savings and matching, improved.
pub(super) fn auto(examiner: &mut Examiner<'_>, singles: Vec<Candidate>, heuristic: &Heuristic) -> Outcome {
    let start = std::time::Instant::now();
    let budget = heuristic.budget(AUTO_BUDGET);
    let target = target(examiner, heuristic);
    let mut tested = 0;
    let mut best: Option<Vec<Part>> = None;
    for kind in [
        HeuristicKind::Savings,
        HeuristicKind::Matching,
        HeuristicKind::Sms,
    ] {
        let mut partitions = singles.clone();
        match kind {
            HeuristicKind::Savings => tested += merge_by_savings(examiner, &mut partitions, target),
            HeuristicKind::Matching => tested += merge_by_matching(examiner, &mut partitions, target),
            _ => {
                let sms = Heuristic::from(HeuristicKind::Sms);
                let outcome = partition_and_allocate(examiner, partitions, &sms);
                tested += outcome.stats.merges_tested;
                partitions = outcome.partitions;
            }
        }
        let parts = parts_of(partitions);
        let problem = examiner.problem();
        let key = |parts: &[Part]| (!problem.fits_places(parts), total(parts));
        if best.as_ref().is_none_or(|best| key(&parts) < key(best)) {
            best = Some(parts);
        }
        if best.as_ref().is_some_and(|best| total(best) <= target) {
            break;
        }
    }
    let parts = best.unwrap_or_default();
    improved(examiner, parts, target, budget, tested, start)
}

/// `parts` after local search.
pub(super) fn improved(
    examiner: &mut Examiner<'_>,
    mut parts: Vec<Part>,
    target: u32,
    budget: Budget,
    tested: u64,
    start: std::time::Instant,
) -> Outcome {
    let problem = examiner.problem();
    let mut sizes = Sizes::new(examiner, budget);
    improve(&mut sizes, &mut parts, target, SEED, |sizes| sizes.exhausted());
    let tested = tested + sizes.tested();
    let mut outcome = Outcome {
        partitions: parts
            .into_iter()
            .map(|part| Candidate::unmerged(problem, part.sms, part.tasks))
            .collect(),
        ..Outcome::default()
    };
    outcome.stats.merges_tested = tested;
    outcome.stats.search_ns = super::search::elapsed_ns(start);
    outcome
}

/// Of the one stream of random numbers there is: answers are the same in every run.
pub(super) const SEED: u64 = 1;

/// Where the search may end.
pub(super) fn target(examiner: &Examiner<'_>, heuristic: &Heuristic) -> u32 {
    let problem = examiner.problem();
    let bound = lemmas::least_sms_of_all(problem);
    heuristic.objective.target(problem.shares(), bound)
}

/// Without what a merge wants to know.
pub(super) fn parts_of(partitions: Vec<Candidate>) -> Vec<Part> {
    partitions
        .into_iter()
        .map(|partition| Part {
            sms: partition.sms,
            tasks: partition.tasks,
        })
        .collect()
}
