//! Portfolio search `auto`. The search computes several initial plans and improves the best initial plan by local
//! search. In addition, the search computes a lower bound on the SMs of every plan.
//!
//! The search ends when its search effort is used up, or earlier.

use std::time::Instant;

use crate::partitioning::baselines::pack;
use crate::partitioning::heuristic::{Limits, Objective};
use crate::partitioning::improve::{SEED, best_start, improve};
use crate::partitioning::optimal::{Bounding, bound_of_work, fewest_placed};
use crate::partitioning::search::budget::Budget;
use crate::partitioning::search::{Aim, Candidate, GroupTester, Outcome, Sizes, parts_of, total};
use gpusched_model::plan::EndedBy;

/// Twentieths of the search effort after which the first local search stops.
const SEARCH: u32 = 6;

/// Like [`SEARCH`], for problems with sharper lower bounds. For these problems, diving finds better plans than local
/// search.
const SHARP_SEARCH: u32 = 2;

/// Twentieths of the search effort after which diving (`optimal::dive`) starts, even if the search still finds useful
/// groups.
const APPROACH: u32 = 13;

/// Twentieths of the search effort after which gpusched stops improving the lower bound.
const BOUND: u32 = 16;

/// Twentieths of the search effort after which gpusched stops searching for a plan that consists of known groups.
const CHOICE: u32 = 18;

/// If the value of the linear program exceeds the necessary price sum by at most 1/`SPARE` of this sum, gpusched does
/// not try to prove that no plan exists.
pub(crate) const SPARE: u32 = 150;

/// Twentieths of the search effort of [`prove`] after which gpusched stops improving the lower bound.
const PROOF: u32 = 18;

/// Returns the best plan that the portfolio search finds, and a lower bound on the SMs of every
/// plan.
pub(crate) fn auto(
    tester: &mut GroupTester<'_>,
    singles: Vec<Candidate>,
    (aim, target): (Aim, u32),
    limits: Limits,
) -> Outcome {
    let start = Instant::now();
    let problem = tester.problem();
    let budget = Budget::start(limits);
    let alone: Vec<u32> = singles.iter().map(|single| single.sms).collect();
    let mut bound = Bounding::new(problem);
    let target = target.max(aim.target(bound.sms()));
    let (mut parts, tested) = best_start(tester, singles, target);
    let mut sizes = Sizes::new(tester, budget);
    sizes.charge(tested);
    sizes.record();
    // If partitions need a placement, the bound alone does not decide whether a plan exists.
    let sharp = problem.is_sharp() && !problem.has_places();
    sizes.spend_on_search(if sharp { SHARP_SEARCH } else { SEARCH }, 20);
    problem.tell(total(&parts), bound.sms());
    improve(&mut sizes, &mut parts, target, SEED);
    problem.tell(total(&parts), bound.sms());
    if total(&parts) > target {
        sizes.spend(APPROACH, 20);
        let near = bound.approach(&mut sizes, alone, &parts, aim);
        problem.tell(total(&parts), bound.sms());
        sizes.spend(BOUND, 20);
        bound.dive(&mut sizes, &mut parts, aim);
        problem.tell(total(&parts), bound.sms());
        match sharp {
            true => bound.raise_if_enough(&mut sizes, &parts, (aim, Some(SPARE))),
            false => bound.raise(&mut sizes, &parts, aim),
        }
        problem.tell(total(&parts), bound.sms());
        sizes.spend(CHOICE, 20);
        if !near {
            bound.dive(&mut sizes, &mut parts, aim);
        }
        bound.choose(&mut sizes, &mut parts, aim);
        problem.tell(total(&parts), bound.sms());
        let target = target.max(aim.target(bound.sms()));
        sizes.spend(20, 20);
        improve(&mut sizes, &mut parts, target, SEED + 1);
    }
    bound.leave_experience(&mut sizes);
    let enumerated = fewest_placed(&mut sizes, &parts);
    let ended_by = sizes.ended_by(&parts, aim.target(bound.sms()));
    let other_work = sizes.charged() - tested;
    let tested = tested + sizes.tested();
    let mut outcome = Outcome::of_parts(problem, parts, tested, start);
    outcome.stats.other_work = other_work;
    outcome.stats.ended_by = ended_by.filter(|_| enumerated.is_none());
    outcome.enumerated = enumerated;
    outcome.bound = Some(bound.into_statement());
    outcome
}

/// Returns a plan for more than [`MANY`](crate::partitioning::MANY) tasks, and the lower bound that follows from the work of the
/// tasks. `singles` are the smallest partitions of the tasks.
pub(crate) fn auto_of_many(tester: &mut GroupTester<'_>, singles: &[Candidate], aim: Aim) -> Outcome {
    let start = Instant::now();
    let problem = tester.problem();
    let (parts, tested) = pack(tester, singles);
    let bound = bound_of_work(problem);
    let open = total(&parts) > aim.target(bound.sms);
    let mut outcome = Outcome::of_parts(problem, parts, tested, start);
    outcome.stats.ended_by = open.then_some(EndedBy::Choices);
    outcome.bound = Some(bound);
    outcome
}

/// Computes a lower bound on the SMs of every plan. In contrast to [`auto`], this search uses almost all its effort for
/// the bound. A dive may still find a plan. See [`Bounding::raise_if_enough`] for `spare`.
pub(crate) fn prove(
    tester: &mut GroupTester<'_>,
    singles: Vec<Candidate>,
    spare: Option<u32>,
    limits: Limits,
) -> Outcome {
    let start = Instant::now();
    let problem = tester.problem();
    let aim = Aim {
        objective: Objective::Feasible,
        sms: problem.shares(),
        gap: 0,
    };
    let alone: Vec<u32> = singles.iter().map(|single| single.sms).collect();
    let mut bound = Bounding::new(problem);
    let mut parts = parts_of(singles);
    let mut sizes = Sizes::new(tester, Budget::start(limits));
    sizes.record();
    sizes.spend(APPROACH, 20);
    bound.approach(&mut sizes, alone, &parts, aim);
    sizes.spend(PROOF, 20);
    bound.raise_if_enough(&mut sizes, &parts, (aim, spare));
    if !aim.is_beyond(bound.sms()) {
        bound.dive(&mut sizes, &mut parts, aim);
        sizes.spend(20, 20);
        bound.choose(&mut sizes, &mut parts, aim);
    }
    bound.leave_experience(&mut sizes);
    let ended_by = sizes.ended_by(&parts, aim.target(bound.sms()));
    let mut outcome = Outcome::of_parts(problem, parts, sizes.tested(), start);
    outcome.stats.other_work = sizes.charged();
    outcome.stats.ended_by = ended_by;
    outcome.bound = Some(bound.into_statement());
    outcome
}
