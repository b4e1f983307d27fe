//! The fewest SMs, with a proof: set partitioning by column generation.
//!
//! A plan chooses groups of tasks, each on the fewest SMs on which it passes the test. The linear relaxation of that choice
//! has a price for each task; if no group is worth more than its SMs, Σ prices is a lower bound on the SMs of any plan.
//! [`pricing`] looks for groups that are worth more, [`master`] proposes prices, and [`branching`] chooses among the groups known at the end, and then
//! closes the gap over all groups that a better plan could contain. Prices are integers where anything is concluded from them.

mod bound;
mod branching;
#[cfg(feature = "highs")]
mod by_highs;
mod columns;
mod dive;
mod master;
#[cfg(feature = "highs")]
mod milp;
mod pricing;
mod tested;
mod works;

use std::time::Instant;

use super::examiner::Examiner;
use super::heuristic::Heuristic;
use super::heuristic::Solver;
use super::local_search::improve;
use super::objective::Aim;
use super::placed::LastPlaced;
use super::sizes::{Part, Sizes, total};
use super::{Candidate, Outcome, Problem, auto};
use crate::model::plan::{EndedBy, LowerBound};
use bound::Bound;
use columns::Columns;
use pricing::Pricing;
use works::Works;

/// The price of one SM, in units.
const ONE: i64 = crate::model::plan::UNITS_PER_SM as i64;

/// Groups tested by [`HeuristicKind::Optimal`](super::HeuristicKind::Optimal) unless the user says otherwise: some seconds
/// for 50 tasks under EDF.
pub const OPTIMAL_BUDGET: u64 = 10_000_000;

/// A plan of few SMs, and the best bound that the budget allows.
pub(super) fn optimal(
    examiner: &mut Examiner<'_>,
    singles: Vec<Candidate>,
    heuristic: &Heuristic,
) -> Outcome {
    let start = Instant::now();
    let problem = examiner.problem();
    let alone: Vec<u32> = singles.iter().map(|single| single.sms).collect();
    let mut bounding = Bounding::new(problem);
    let aim = heuristic.aim(problem.shares());
    let target = auto::target(examiner, heuristic).max(aim.target(bounding.sms()));
    let (mut parts, tested) = auto::best_start(examiner, singles, target);
    let mut sizes = Sizes::new(examiner, heuristic.budget(OPTIMAL_BUDGET));
    sizes.record();
    sizes.spend_on_search(1, 20);
    improve(&mut sizes, &mut parts, target, auto::SEED);
    sizes.spend(std::env::var("GEN").ok().and_then(|x| x.parse().ok()).unwrap_or(13), 20);
    let mut placed = LastPlaced::new(problem, |part: &Part| part.sms);
    placed.note(&parts);
    let enough = aim.enough(total(&parts));
    let claimed = match heuristic.solver {
        _ if total(&parts) <= target => 0,
        Solver::Exact => {
            bounding.raise(&mut sizes, alone, &mut parts, enough, aim);
            sizes.spend(17, 20);
            bounding.choose(&mut sizes, &mut parts, aim);
            0
        }
        #[cfg(feature = "highs")]
        Solver::Highs => by_highs::generate(&mut bounding, &mut sizes, alone, &mut parts, (enough, aim)),
    };
    sizes.spend(20, 20);
    bounding.close(&mut sizes, &mut parts, aim);
    let bound = bounding.sms();
    let open = total(&parts) > aim.target(bound) && !aim.is_beyond(bound);
    let ended_by = sizes.ended_by(&parts, aim.target(bound));
    let ended_by = ended_by.or(open.then_some(EndedBy::Choices));
    placed.restore(&mut parts);
    let tested = tested + sizes.tested();
    let mut outcome = auto::outcome(problem, parts, tested, start);
    outcome.stats.other_work = sizes.charged();
    outcome.stats.ended_by = ended_by;
    let bound = bounding.into_statement();
    let bound = LowerBound {
        highs: Some(claimed).filter(|&claimed| claimed > bound.sms),
        ..bound
    };
    outcome.bound = Some(bound);
    outcome
}

/// A lower bound in the making, and what comes of it for plans.
pub(super) struct Bounding<'p> {
    works: Works,
    pricing: Pricing<'p>,
    bound: Bound,
    columns: Columns,
}

impl<'p> Bounding<'p> {
    /// That of the tasks' own work.
    pub fn new(problem: &'p Problem<'p>) -> Bounding<'p> {
        let works = Works::new(problem);
        Bounding {
            bound: Bound::of_work(&works, problem.tasks().len()),
            pricing: Pricing::new(problem, &works),
            columns: Columns::new(Vec::new()),
            works,
        }
    }

    /// No plan has fewer SMs.
    pub fn sms(&self) -> u32 {
        self.bound.sms()
    }

    /// Raises it by column generation until it is `enough` or what may be spent is spent, from `parts` and all groups recorded so far. `alone`
    /// are the sizes of single tasks.
    pub fn raise(&mut self, sizes: &mut Sizes<'_, '_>, alone: Vec<u32>, parts: &mut Vec<Part>, enough: u32, aim: Aim) {
        let pool = sizes.record();
        self.columns = Columns::new(alone);
        let known = (&self.works, &mut self.pricing);
        let before = total(parts);
        self.columns
            .generate(sizes, known, (parts, pool), &mut self.bound, enough, true);
        self.dive(sizes, parts, aim);
        let known = (&self.works, &mut self.pricing);
        let enough = enough - (before - total(parts));
        self.columns
            .generate(sizes, known, (parts, Vec::new()), &mut self.bound, enough, false);
    }

    /// Improves `parts` by a choice among the groups known by now, as far as `aim` asks for.
    pub fn choose(&self, sizes: &mut Sizes<'_, '_>, parts: &mut Vec<Part>, aim: Aim) {
        self.columns.choose(sizes, parts, aim.target(self.sms()));
    }

    /// Dives
    pub fn dive(&mut self, sizes: &mut Sizes<'_, '_>, parts: &mut Vec<Part>, aim: Aim) {
        let known = (&self.works, &mut self.pricing);
        self.columns.dive(sizes, known, parts, aim.target(self.bound.sms()));
    }

    /// Closes the gap between the bound and `parts`, as far as the budget goes.
    fn close(&mut self, sizes: &mut Sizes<'_, '_>, parts: &mut Vec<Part>, aim: Aim) {
        let known = (&self.works, &mut self.pricing);
        self.columns.close(sizes, known, parts, &mut self.bound, aim);
    }

    /// As plans state it.
    pub fn into_statement(self) -> LowerBound {
        self.bound.into_statement()
    }
}
