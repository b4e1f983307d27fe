//! Plans with few SMs for partitions that share a memory. The number of SMs that a group needs depends on the other
//! groups, so this search examines whole divisions of the tasks into groups.
//!
//! * [`least_sms`] computes the fewest SMs of one division;
//! * [`descent`] improves a division by local search;
//! * [`enumeration`] examines all divisions of a few tasks, which proves that no plan has fewer SMs.

mod descent;
mod enumeration;
mod least_sms;

use super::search::{Limits, Part, Problem, total};
use gpusched_model::plan::EndedBy;
use least_sms::{Divisions, Least};

/// Result of the search.
pub(crate) struct Fewest {
    /// The best plan found. It has at most `most` SMs.
    pub better: Option<Vec<Part>>,
    /// Whether the search examined all plans with fewer SMs than the best plan.
    pub complete: bool,
    /// Number of tests of single partitions.
    pub tested: u64,
    /// Reason why the search is incomplete.
    pub ended_by: Option<EndedBy>,
}

/// Searches for a plan with at most `most` SMs, and with as few SMs as possible. The local search begins with each
/// division of `starts` that has a plan. The search ends at a plan of at most `target` SMs.
pub(crate) fn fewest(
    problem: &Problem<'_>,
    starts: &[Vec<Vec<usize>>],
    (target, most): (u32, u32),
    limits: Limits,
) -> Fewest {
    let budget = limits.start();
    let Some(mut divisions) = Divisions::new(problem, most, budget) else {
        return Fewest {
            better: None,
            complete: false,
            tested: 0,
            ended_by: Some(budget.spent(u64::MAX).unwrap_or(EndedBy::Budget)),
        };
    };
    let mut best: Option<Vec<Part>> = None;
    let mut below = most.saturating_add(1);
    for (index, start) in starts.iter().enumerate() {
        if below <= target {
            break;
        }
        if starts[..index].contains(start) {
            continue;
        }
        if let Least::Sizes(sizes) = divisions.least_sms(start, most, descent::PATIENCE) {
            let mut parts = parts_of(start, &sizes);
            descent::descend(&mut divisions, &mut parts, target);
            if total(&parts) < below {
                below = total(&parts);
                best = Some(parts);
            }
        }
    }
    let near = below <= target;
    let complete = !near && enumeration::enumerate(&mut divisions, &mut best, (target, below));
    let reached = best.as_deref().is_some_and(|parts| total(parts) <= target);
    Fewest {
        better: best,
        complete,
        tested: divisions.tested(),
        ended_by: (!complete && !reached)
            .then(|| budget.spent(divisions.tested()).unwrap_or(EndedBy::Choices)),
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
