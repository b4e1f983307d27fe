//! A plan with as few SMs as possible, from several divisions of the tasks into groups.

use super::least_sms::{Divisions, Least};
use super::{descent, enumeration, parts_of};
use crate::partitioning::heuristic::Limits;
use crate::partitioning::problem::Problem;
use crate::partitioning::search::budget::Budget;
use crate::partitioning::search::{Part, total};
use gpusched_model::plan::EndedBy;

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
    let budget = Budget::start(limits);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interference::{Interference, model_of};
    use gpusched_model::{Arbitration, Bandwidth, Policy, SharedMemory, TaskSet};

    /// The local search examines thousands of divisions, but ends soon after its search effort.
    #[test]
    fn many_tasks_do_not_exceed_the_search_effort() {
        let task = r#"{"period":"10ms","traffic":"2MB","bandwidth":"40GB/s","wcet":{"amdahl":{"work":"6ms","serial":0.02}}}"#;
        let set: TaskSet =
            serde_json::from_str(&format!(r#"{{"tasks":[{}]}}"#, [task; 60].join(","))).unwrap();
        let memory = SharedMemory::new(Bandwidth::new(100_000_000_000).unwrap(), Arbitration::Any);
        let problem = Problem::new(&set, 200, Policy::Edf, model_of(Interference::Conflict)).unwrap();
        let problem = problem.sharing(memory).unwrap();
        let starts = [(0..60).map(|task| vec![task]).collect(), vec![(0..60).collect()]];
        for (effort, least) in [(1, 0), (1_300, 1_200), (5_000, 5_000)] {
            let limits = Limits {
                tests: effort,
                time: None,
            };
            let found = fewest(&problem, &starts, (1, 200), limits);
            assert_eq!(found.ended_by, Some(EndedBy::Budget));
            assert!(
                !found.complete && (least..=effort + 200).contains(&found.tested),
                "{}",
                found.tested
            );
        }
    }
}
