//! Portfolio search: several initial plans, a local search from the best initial plan, and a lower bound.
//!
//! The search stops when it has used its search effort.

use std::time::Instant;

use super::improve::{SEED, best_start, improve};
use super::optimal::{Bounding, fewest_placed};
use super::search::{Aim, Candidate, GroupTester, Limits, Outcome, Sizes, total};

/// Share of the search effort for the initial plans and the first local search, in twentieths.
const SEARCH: u32 = 6;

/// Share of the search effort, in twentieths, after which diving starts with all groups known by then.
const APPROACH: u32 = 13;

/// Share of the search effort, in twentieths, after which gpusched stops improving the lower bound.
const BOUND: u32 = 16;

/// Share of the search effort, in twentieths, after which gpusched stops selecting a plan from the known groups.
const CHOICE: u32 = 18;

/// Returns the plan that local search reaches from the best of several initial plans, with a lower bound.
pub(crate) fn auto(
    tester: &mut GroupTester<'_>,
    singles: Vec<Candidate>,
    (aim, target): (Aim, u32),
    limits: Limits,
) -> Outcome {
    let start = Instant::now();
    let problem = tester.problem();
    let budget = limits.start();
    let alone: Vec<u32> = singles.iter().map(|single| single.sms).collect();
    let mut bound = Bounding::new(problem);
    let target = target.max(aim.target(bound.sms()));
    let (mut parts, tested) = best_start(tester, singles, target);
    let mut sizes = Sizes::new(tester, budget);
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
