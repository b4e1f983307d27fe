//! Plans with the fewest SMs, with a proof: set partitioning by column generation.
//!
//! A plan is a selection of groups of tasks. Each group gets the fewest SMs on which it passes
//! its test. The linear relaxation of this selection problem has a dual price for each task. The
//! *price sum* of a group is the sum of the prices of its tasks. The *excess* of a group is its
//! price sum minus its SMs. Prices are *valid* if no group has a positive excess. The sum of
//! valid prices is a lower bound on the SMs of every plan.
//!
//! * [`pricing`] searches for groups with a positive excess, and [`tested`] does so by tests alone.
//! * [`columns`] contains the known groups. Its linear program proposes prices, and its branch and bound selects a plan
//!   from the known groups. To close the optimality gap, the search then considers all groups that a better plan could
//!   contain.
//! * [`bounding`] computes the lower bound and the plan step by step.
//!
//! All proofs use integer prices.

mod bound;
mod bounding;
mod columns;
mod enumeration;
mod pricing;
mod tested;
mod units;
mod works;

use std::time::Instant;

use super::heuristic::{Limits, Objective};
use super::improve::{SEED, best_start, improve};
use super::problem::Problem;
use super::problem::hardware::{Offer, Totals};
use super::search::budget::Budget;
use super::search::{Aim, Candidate, GroupTester, LastPlaced, Outcome, Part, Sizes, total};
use bound::Bound;
pub(crate) use bounding::Bounding;
pub(crate) use enumeration::fewest_placed;
use gpusched_model::plan::{EndedBy, LowerBound};
#[cfg(test)]
pub(super) use pricing::tests::random_set;
use works::Works;

/// Ends of three phases, in twentieths of the search effort. After the first phase, diving starts. After the second phase,
/// gpusched stops improving the lower bound. After the third phase, gpusched stops selecting a plan from the known
/// groups.
const APPROACH: u32 = 10;
const BOUND: u32 = 15;
const CHOICE: u32 = 17;

/// Returns the lower bound on the SMs of every plan that follows from the work of the tasks. The time and the memory grow
/// linearly with the number of tasks.
pub(crate) fn bound_of_work(problem: &Problem<'_>) -> LowerBound {
    let totals = problem.offer().map_or_else(Totals::all, Offer::totals);
    Bound::of_work(&Works::new(problem), problem.tasks().len(), totals).into_statement()
}

/// Returns a plan with few SMs, and the best lower bound that gpusched finds within the search effort.
pub(crate) fn optimal(
    tester: &mut GroupTester<'_>,
    singles: Vec<Candidate>,
    (aim, target): (Aim, u32),
    limits: Limits,
) -> Outcome {
    let start = Instant::now();
    let problem = tester.problem();
    let alone: Vec<u32> = singles.iter().map(|single| single.sms).collect();
    let mut bounding = Bounding::new(problem);
    let target = target.max(aim.target(bounding.sms()));
    let (mut parts, tested) = best_start(tester, singles, target);
    let mut sizes = Sizes::new(tester, Budget::start(limits));
    sizes.record();
    problem.tell(total(&parts), bounding.sms());
    sizes.spend_on_search(1, 20);
    improve(&mut sizes, &mut parts, target, SEED);
    let mut placed = LastPlaced::new(problem, |part: &Part| part.sms);
    placed.note(&parts);
    // `target` may exceed the target of the bound, because prices are rounded down. In this case, the next steps prove the
    // difference.
    if total(&parts) > aim.target(bounding.sms()) {
        problem.tell(total(&parts), bounding.sms());
        sizes.spend(APPROACH, 20);
        bounding.approach(&mut sizes, alone, &parts, aim);
        problem.tell(total(&parts), bounding.sms());
        sizes.spend(BOUND, 20);
        bounding.dive(&mut sizes, &mut parts, aim);
        problem.tell(total(&parts), bounding.sms());
        bounding.raise(&mut sizes, &parts, aim);
        problem.tell(total(&parts), bounding.sms());
        sizes.spend(CHOICE, 20);
        // The prices are now better than in the first dive.
        bounding.dive(&mut sizes, &mut parts, aim);
        bounding.choose(&mut sizes, &mut parts, aim);
    }
    problem.tell(total(&parts), bounding.sms());
    sizes.spend(20, 20);
    bounding.close(&mut sizes, &mut parts, aim);
    bounding.leave_experience(&mut sizes);
    let bound = bounding.sms();
    let open = total(&parts) > aim.target(bound) && !aim.is_beyond(bound);
    let ended_by = sizes.ended_by(&parts, aim.target(bound));
    let ended_by = ended_by.or(open.then_some(EndedBy::Choices));
    placed.restore(&mut parts);
    let enumerated = match aim.objective {
        Objective::Sms => fewest_placed(&mut sizes, &parts),
        Objective::Feasible | Objective::Margin => None,
    };
    let ended_by = ended_by.filter(|_| enumerated.is_none());
    let tested = tested + sizes.tested();
    let mut outcome = Outcome::of_parts(problem, parts, tested, start);
    outcome.stats.other_work = sizes.charged();
    outcome.stats.ended_by = ended_by;
    outcome.bound = Some(bounding.into_statement());
    outcome.enumerated = enumerated;
    outcome
}
