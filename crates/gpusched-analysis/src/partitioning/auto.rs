//! A portfolio: several starts, the best of them improved by local search, and a lower bound, until the budget is spent.

use super::examiner::Examiner;
use super::heuristic::Heuristic;
use super::lemmas;
use super::local_search::improve;
use super::matching::merge_by_matching;
use super::objective::Budget;
use super::optimal::Bounding;
use super::savings::merge_by_savings;
use super::search::partition_and_allocate;
use super::seeding::pairs_of_kinds;
use super::sizes::{Part, Sizes, total};
use super::{Candidate, HeuristicKind, Outcome, Problem};

/// Parts of the budget for the search, with what the starts cost, before the bound is sought; twenty are all.
const SEARCH: u32 = 6;

/// Parts of the budget after which a dive begins, whatever groups are known by then.
const APPROACH: u32 = 13;

/// Parts of the budget after which no better bound is sought.
const BOUND: u32 = 16;

/// Parts of the budget after which no plan is chosen among the groups known by then.
const CHOICE: u32 = 18;

/// The best of several starts, improved, and a lower bound.
pub(super) fn auto(examiner: &mut Examiner<'_>, singles: Vec<Candidate>, heuristic: &Heuristic) -> Outcome {
    let start = std::time::Instant::now();
    let problem = examiner.problem();
    let budget = heuristic.budget(problem);
    let alone: Vec<u32> = singles.iter().map(|single| single.sms).collect();
    let mut bound = Bounding::new(problem);
    let aim = heuristic.aim(problem.shares());
    let target = target(examiner, heuristic).max(aim.target(bound.sms()));
    let (mut parts, tested) = best_start(examiner, singles, target);
    let mut sizes = Sizes::new(examiner, budget);
    sizes.charge(tested);
    sizes.record();
    sizes.spend_on_search(SEARCH, 20);
    improve(&mut sizes, &mut parts, target, SEED);
    if total(&parts) > target {
        sizes.spend(APPROACH, 20);
        let near = bound.approach(&mut sizes, alone, &parts, aim);
        sizes.spend(BOUND, 20);
        bound.dive(&mut sizes, &mut parts, aim);
        bound.raise(&mut sizes, &parts, aim);
        sizes.spend(CHOICE, 20);
        if !near {
            bound.dive(&mut sizes, &mut parts, aim);
        }
        bound.choose(&mut sizes, &mut parts, aim);
        let target = target.max(aim.target(bound.sms()));
        sizes.spend(20, 20);
        improve(&mut sizes, &mut parts, target, SEED + 1);
    }
    let ended_by = sizes.ended_by(&parts, aim.target(bound.sms()));
    let other_work = sizes.charged() - tested;
    let tested = tested + sizes.tested();
    let mut outcome = outcome(problem, parts, tested, start);
    outcome.stats.other_work = other_work;
    outcome.stats.ended_by = ended_by;
    outcome.bound = Some(bound.into_statement());
    outcome
}

/// The plan with the fewest SMs of all starts, or the first with no more than `target`; and the merges tested.
pub(super) fn best_start(
    examiner: &mut Examiner<'_>,
    singles: Vec<Candidate>,
    target: u32,
) -> (Vec<Part>, u64) {
    let mut tested = 0;
    let mut best: Option<Vec<Part>> = None;
    for start in [Start::Savings, Start::Matching, Start::Kinds, Start::Sms] {
        let mut partitions = singles.clone();
        match start {
            Start::Savings => tested += merge_by_savings(examiner, &mut partitions, target),
            Start::Matching => tested += merge_by_matching(examiner, &mut partitions, target),
            Start::Kinds => {
                let (pairs, pairing) = pairs_of_kinds(examiner, &partitions);
                partitions = pairs;
                tested += pairing + merge_by_savings(examiner, &mut partitions, target);
            }
            Start::Sms => {
                let sms = Heuristic::from(HeuristicKind::Sms);
                let outcome = partition_and_allocate(examiner, partitions, &sms, target);
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
    (best.unwrap_or_default(), tested)
}

/// What local search may begin with.
#[derive(Copy, Clone)]
enum Start {
    Savings,
    Matching,
    /// Pairs of one compute and one memory task, merged by savings.
    Kinds,
    Sms,
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
    improve(&mut sizes, &mut parts, target, SEED);
    let ended_by = sizes.ended_by(&parts, target);
    let tested = tested + sizes.tested();
    let mut outcome = outcome(problem, parts, tested, start);
    outcome.stats.ended_by = ended_by;
    outcome
}

/// `parts` as an outcome that cost so many tests since `start`.
pub(super) fn outcome(
    problem: &Problem<'_>,
    parts: Vec<Part>,
    tested: u64,
    start: std::time::Instant,
) -> Outcome {
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
    heuristic.aim(problem.shares()).target(bound)
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
