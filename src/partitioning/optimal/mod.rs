//! The fewest SMs, with a proof: set partitioning by column generation.
//!
//! A plan chooses groups of tasks, each on the fewest SMs on which it passes the test. The linear relaxation of that choice
//! has a price for each task; if no group is worth more than its SMs, Σ prices is a lower bound on the SMs of any plan.
//! [`pricing`] looks for groups that are worth more, [`master`] proposes prices, and [`branching`] closes the gap over all
//! groups that a better plan could contain. Prices are integers where anything is concluded from them.

mod bound;
mod branching;
mod columns;
mod master;
mod pricing;
mod works;

use std::time::Instant;

use super::examiner::Examiner;
use super::heuristic::Heuristic;
use super::local_search::improve;
use super::placed::LastPlaced;
use super::savings::merge_by_savings;
use super::sizes::{Part, Sizes, total};
use super::{Candidate, Objective, Outcome, auto};
use bound::Bound;
use columns::Columns;
use works::Works;

/// The price of one SM, in units.
const ONE: i64 = crate::model::plan::UNITS_PER_SM as i64;

/// Groups tested by [`HeuristicKind::Optimal`](super::HeuristicKind::Optimal) unless the user says otherwise: some seconds
/// for 50 tasks under EDF.
pub const OPTIMAL_BUDGET: u64 = 5_000_000;

/// A plan of few SMs, and the best bound that the budget allows.
pub(super) fn optimal(
    examiner: &mut Examiner<'_>,
    singles: Vec<Candidate>,
    heuristic: &Heuristic,
) -> Outcome {
    let start = Instant::now();
    let problem = examiner.problem();
    let target = auto::target(examiner, heuristic);
    let alone: Vec<u32> = singles.iter().map(|single| single.sms).collect();
    let mut merged = singles;
    let tested = merge_by_savings(examiner, &mut merged, target);
    let mut parts = auto::parts_of(merged);
    let mut sizes = Sizes::new(examiner, heuristic.budget(OPTIMAL_BUDGET));
    sizes.record();
    improve(&mut sizes, &mut parts, target, auto::SEED, |sizes| {
        sizes.exhausted_part(1, 20)
    });
    let mut placed = LastPlaced::new(problem, |part: &Part| part.sms);
    placed.note(&parts);
    let works = Works::new(problem);
    let mut bound = Bound::of_work(&works, alone.len());
    if total(&parts) > target.max(bound.sms()) {
        let mut columns = Columns::new(alone);
        let enough = match heuristic.objective {
            Objective::Sms => total(&parts),
            Objective::Feasible => total(&parts).min(problem.shares() + 1),
        };
        let pool = sizes.record();
        columns.generate(&mut sizes, &works, &parts, pool, &mut bound, enough);
        columns.close(&mut sizes, &works, &mut parts, &mut bound, target);
    }
    placed.restore(&mut parts);
    let mut outcome = Outcome {
        partitions: parts
            .into_iter()
            .map(|part| Candidate::unmerged(problem, part.sms, part.tasks))
            .collect(),
        bound: Some(bound.into_statement()),
        ..Outcome::default()
    };
    outcome.stats.merges_tested = tested + sizes.tested();
    outcome.stats.search_ns = super::search::elapsed_ns(start);
    outcome
}
