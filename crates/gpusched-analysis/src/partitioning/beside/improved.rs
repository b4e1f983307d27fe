//! A plan with fewer SMs than an earlier plan, or a better lower bound for the earlier plan.

use std::time::Instant;

use super::fewest::{Fewest, fewest};
use crate::partitioning::heuristic::Heuristic;
use crate::partitioning::heuristic::effort::fewest_budget;
use crate::partitioning::problem::Problem;
use crate::partitioning::search::outcome::elapsed_ns;
use crate::partitioning::search::{Found, Outcome, total};
use gpusched_model::plan::{EndedBy, Failure, LowerBound, Plan, Proof, SearchStats};

/// Returns a plan with fewer SMs than `plan`, or `plan` with a better lower bound. The search begins with `divisions`, and
/// ends at a plan of at most `target` SMs.
pub(super) fn improved(
    problem: &Problem<'_>,
    plan: &Plan,
    divisions: &[Vec<Vec<usize>>],
    (heuristic, target): (&Heuristic, u32),
) -> Found {
    let begin = Instant::now();
    let limits = heuristic.limits_or(fewest_budget(heuristic.kind()));
    let most = match plan.schedulable {
        true => plan.sms_used,
        false => problem.capacity(),
    };
    let found = fewest(problem, divisions, (target, most), limits);
    let stats = SearchStats {
        merges_tested: found.tested,
        search_ns: elapsed_ns(begin),
        ..SearchStats::default()
    };
    let ended_by = match found.ended_by {
        // More search effort may help if an earlier search reached its limit.
        Some(EndedBy::Choices) => plan.stats.ended_by.or(found.ended_by),
        ended_by => ended_by,
    };
    let improved = better(problem, plan, found, begin);
    Found {
        excluded: improved.failure == Some(Failure::BoundExceedsGpu),
        plan: Plan {
            stats: SearchStats {
                ended_by,
                ..stats.plus(&plan.stats)
            },
            ..improved
        },
    }
}

/// Returns the plan in `found` if it is better than `plan`. Otherwise, returns `plan`. The lower bound of the result
/// follows from a complete search.
fn better(problem: &Problem<'_>, plan: &Plan, found: Fewest, begin: Instant) -> Plan {
    let least = plan.bound.as_ref().map_or(1, |bound| bound.sms);
    let fewest = match &found.better {
        Some(parts) => total(parts),
        None if plan.schedulable => plan.sms_used,
        None => problem.capacity().saturating_add(1),
    };
    let bound = plan.bound.clone();
    let bound = match found.complete && fewest > least {
        true => Some(LowerBound {
            sms: fewest,
            proof: Proof::Search,
            prices: bound.map_or_else(|| vec![0; problem.tasks().len()], |bound| bound.prices),
        }),
        false => bound,
    };
    let better = { found.better }.filter(|_| !plan.schedulable || fewest < plan.sms_used);
    let better = better.map(|parts| {
        let outcome = Outcome::of_parts(problem, parts, 0, begin);
        Outcome {
            bound: bound.clone(),
            ..outcome
        }
        .into_plan(problem)
    });
    // The search does not know the places of partitions. Ports that partitions share there may delay them too much.
    match better.filter(|better| better.schedulable || !plan.schedulable) {
        Some(better) => better,
        None => Plan {
            failure: match (&bound, plan.schedulable) {
                (Some(bound), false) if bound.sms > problem.capacity() => Some(Failure::BoundExceedsGpu),
                _ => plan.failure.clone(),
            },
            bound,
            ..plan.clone()
        },
    }
}
