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
mod generation;
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
use bound::Bound;
use columns::Columns;
use gpusched_model::plan::{EndedBy, LowerBound};
use pricing::Pricing;
use works::Works;

/// The price of one SM, in units.
const ONE: i64 = gpusched_model::plan::UNITS_PER_SM as i64;

/// Parts of the budget after which a dive begins, then after which no better bound is sought, and then no plan among the groups known by then; twenty
/// are all.
const APPROACH: u32 = 10;
const BOUND: u32 = 15;
const CHOICE: u32 = 17;

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
    let mut sizes = Sizes::new(examiner, heuristic.budget(problem));
    sizes.record();
    sizes.spend_on_search(1, 20);
    improve(&mut sizes, &mut parts, target, auto::SEED);
    let mut placed = LastPlaced::new(problem, |part: &Part| part.sms);
    placed.note(&parts);
    let claimed = match heuristic.solver {
        _ if total(&parts) <= target => 0,
        Solver::Exact => {
            sizes.spend(APPROACH, 20);
            bounding.approach(&mut sizes, alone, &parts, aim);
            sizes.spend(BOUND, 20);
            bounding.dive(&mut sizes, &mut parts, aim);
            bounding.raise(&mut sizes, &parts, aim);
            sizes.spend(CHOICE, 20);
            // With better prices than those of the first.
            bounding.dive(&mut sizes, &mut parts, aim);
            bounding.choose(&mut sizes, &mut parts, aim);
            0
        }
        #[cfg(feature = "highs")]
        Solver::Highs => by_highs::generate(&mut bounding, &mut sizes, alone, &mut parts, aim),
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
            columns: Columns::new(Vec::new(), Vec::new()),
            works,
        }
    }

    /// No plan has fewer SMs.
    pub fn sms(&self) -> u32 {
        self.bound.sms()
    }

    /// Generates groups, from `parts` and all groups recorded so far, until prices are nearly those of the linear program of all, or bound as
    /// much as `aim` asks for, or what may be spent is spent; whether it is not. `alone` are the sizes of single tasks.
    pub fn approach(&mut self, sizes: &mut Sizes<'_, '_>, alone: Vec<u32>, parts: &[Part], aim: Aim) -> bool {
        self.columns = Columns::new(alone, sizes.record());
        self.columns.add(parts, usize::MAX, 0.0);
        self.columns.add_pairs(sizes);
        let known = (&self.works, &mut self.pricing);
        let enough = aim.enough(total(parts));
        self.columns.approach(sizes, known, &mut self.bound, enough)
    }

    /// Improves `parts` by a dive, as far as `aim` asks for.
    pub fn dive(&mut self, sizes: &mut Sizes<'_, '_>, parts: &mut Vec<Part>, aim: Aim) {
        if total(parts) > aim.target(self.sms()) {
            let known = (&self.works, &mut self.pricing);
            self.columns.dive(sizes, known, parts);
        }
    }

    /// Raises it by column generation until it is as much as `aim` asks for beside `parts` or what may be spent is spent.
    pub fn raise(&mut self, sizes: &mut Sizes<'_, '_>, parts: &[Part], aim: Aim) {
        let known = (&self.works, &mut self.pricing);
        let enough = aim.enough(total(parts));
        self.columns.generate(sizes, known, &mut self.bound, enough);
    }

    /// Improves `parts` by a choice among the groups known by now, as far as `aim` asks for.
    pub fn choose(&self, sizes: &mut Sizes<'_, '_>, parts: &mut Vec<Part>, aim: Aim) {
        self.columns.choose(sizes, parts, aim.target(self.sms()));
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
