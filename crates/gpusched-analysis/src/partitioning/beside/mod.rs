//! Searches for partitions that share a memory. The number of SMs that a group needs depends on the other groups.
//!
//! * [`searches`] runs several heuristic searches, which treat memory traffic in different ways, until one finds a plan;
//! * [`least_sms`] computes the fewest SMs of one division of the tasks into groups;
//! * [`descent`] improves a division by local search;
//! * [`enumeration`] examines all divisions of a few tasks, which proves that no plan has fewer SMs;
//! * [`fewest`] searches with these three for a plan with few SMs;
//! * [`improved`] replaces a plan by a plan with fewer SMs.

mod descent;
mod enumeration;
mod fewest;
mod improved;
mod least_sms;
mod searches;

use super::heuristic::effort::MANY;
use super::heuristic::traffic::Traffic;
use super::heuristic::{Heuristic, HeuristicKind};
use super::search::{Aim, Candidate, Found, GroupTester, Part};
use gpusched_model::SharedMemory;
use gpusched_model::plan::EndedBy;
use searches::{Searches, Step};

/// Runs several searches for partitions that share `memory`, until one search finds a plan or proves that no plan exists.
/// Then searches for a plan with fewer SMs, if `heuristic` seeks the fewest SMs. `singles` contains the smallest partition
/// of each task without memory traffic.
pub(crate) fn search(
    tester: &mut GroupTester<'_>,
    singles: &[Candidate],
    heuristic: &Heuristic,
    (traffic, memory): (Traffic, SharedMemory),
) -> Found {
    let problem = tester.problem();
    let many = problem.tasks().len() > MANY;
    let seeks_fewest = traffic == Traffic::All && heuristic.seeks_bound() && !problem.is_sharp();
    // If partitions need a placement, a placed partition may be larger than the size that the last search tests.
    let improves = seeks_fewest && !problem.has_places() && !many;
    let mut searches = Searches::new(tester, singles, heuristic, memory);
    let mut found = searches.first_plan(&steps(heuristic, traffic, many), improves);
    let plan = &mut found.plan;
    let least = plan.bound.as_ref().map_or(1, |bound| bound.sms);
    let target = Aim::of(heuristic, problem).target(least);
    let reached = plan.schedulable && plan.sms_used <= target;
    if found.excluded || reached || !seeks_fewest {
        return found;
    }
    if !improves {
        plan.stats.ended_by = plan.stats.ended_by.or(Some(EndedBy::Choices));
        return found;
    }
    let divisions = searches.divisions();
    let heuristic = heuristic.within(searches.time_left());
    improved::improved(problem, &found.plan, &divisions, (&heuristic, target))
}

/// Returns the searches for a plan, in their order. `many` states whether the set has more than [`MANY`] tasks.
fn steps(heuristic: &Heuristic, traffic: Traffic, many: bool) -> Vec<Step> {
    match traffic {
        // A search without memory traffic is much faster. The first search therefore ignores memory traffic and
        // computes the lower bound on the SMs. The last searches produce plans with fewer partitions, because fewer
        // partitions cause less interference. A single partition on the whole GPU has no interference from other
        // partitions.
        Traffic::All if heuristic.seeks_bound() => {
            let own = [Traffic::Ignore, Traffic::Heed].map(|traffic| (*heuristic, traffic));
            let merges = Traffic::EACH.map(|traffic| (HeuristicKind::Sms.into(), traffic));
            let merges = merges.into_iter().filter(|_| !many);
            let last = [(HeuristicKind::OneGpu.into(), Traffic::Ignore)];
            own.into_iter().chain(merges).chain(last).collect()
        }
        Traffic::All => Traffic::EACH.map(|traffic| (*heuristic, traffic)).to_vec(),
        one => vec![(*heuristic, one)],
    }
}

/// Returns `groups` with their numbers of SMs.
fn parts_of(groups: &[Vec<usize>], sizes: &[u32]) -> Vec<Part> {
    let parts = groups.iter().zip(sizes);
    parts
        .map(|(tasks, &sms)| Part {
            sms,
            tasks: tasks.clone(),
        })
        .collect()
}
