//! One search for a plan of a problem, with or without a shared memory, and one search for a proof that no plan exists.

use super::beside;
use super::heuristic::Heuristic;
use super::heuristic::effort::MANY;
use super::heuristic::traffic::Traffic;
use super::one_search::{auto, mergeable, search_and_bound};
use super::problem::Problem;
use super::problem::hardware::Offer;
use super::search::{Aim, Candidate, Experience, Found, GroupTester, Outcome, lemmas};
use gpusched_model::plan::Plan;

/// Runs one search. The search uses the knowledge in `experience` from earlier searches, and adds its own knowledge.
pub(super) fn search(
    problem: &Problem<'_>,
    heuristic: &Heuristic,
    traffic: Traffic,
    experience: &mut Experience,
) -> Found {
    from_singles(problem, experience, |tester, singles| match problem.memory() {
        None => search_and_bound(tester, singles, heuristic).into_found(problem),
        Some(memory) => beside::search(tester, &singles, heuristic, (traffic, memory)),
    })
}

/// Searches for a proof that no plan of `problem` exists, without memory traffic. The plan of the search may fit the GPU.
pub(super) fn prove(
    problem: &Problem<'_>,
    heuristic: &Heuristic,
    spare: Option<u32>,
    experience: &mut Experience,
) -> Found {
    let tasks = problem.tasks().len();
    from_singles(problem, experience, |tester, singles| {
        let found = match tasks > MANY {
            true => auto::auto_of_many(tester, &singles, Aim::of(heuristic, problem)),
            false => {
                let limits = heuristic.limits(tasks, false);
                auto::prove(tester, mergeable(problem, singles), spare, limits)
            }
        };
        // Under MIG, the bound counts allocation units, and plans state only bounds on SMs.
        let counts_sms = problem.offer().is_none_or(Offer::counts_sms);
        let outcome = Outcome {
            excluded: found.excludes(problem),
            bound: found.bound.filter(|_| counts_sms),
            ..found
        };
        outcome.into_found(problem)
    })
}

/// Runs `search` from the smallest partition of each task, unless Lemma 1 or 2 proves that no plan exists.
fn from_singles<'p>(
    problem: &'p Problem<'p>,
    experience: &mut Experience,
    search: impl FnOnce(&mut GroupTester<'p>, Vec<Candidate>) -> Found,
) -> Found {
    let tester = &mut GroupTester::new(problem);
    let singles = match lemmas::smallest_partitions(tester) {
        Ok(singles) => singles,
        Err(failure) => {
            let plan = Plan {
                failure: Some(failure),
                ..Outcome::default().into_plan(problem)
            };
            return Found {
                plan,
                excluded: false,
            };
        }
    };
    std::mem::swap(tester.experience(), experience);
    let found = search(tester, singles);
    std::mem::swap(tester.experience(), experience);
    found
}
