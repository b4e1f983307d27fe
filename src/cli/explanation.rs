//! Explains in text why a task set is not schedulable, and which changes help.

mod changes;
mod reasons;

use crate::cli::arguments::{Case, Request};
use crate::model::counted;
use crate::model::policy::Strength;
use crate::model::{Plan, TaskSet, Verdict};
use crate::partitioning::{AUTO_BUDGET, Goal, Heuristic, Problem, SearchLimits, partition};

/// Explanation of a plan that is not schedulable: the reasons, and the changes that help. `find` searches a plan for a changed
/// problem and returns the number of its tests.
pub fn of_plan(
    request: &Request,
    case: &Case<'_>,
    plan: &Plan,
    find: &dyn Fn(&Problem<'_>) -> (bool, u64),
) -> String {
    let mut lines = reasons::of_plan(case, plan);
    lines.extend(reasons::traffic(case));
    let from = plan
        .bound
        .as_ref()
        .map_or(0, |bound| bound.sms)
        .max(plan.sms_used);
    let trials = changes::Trials::new(request, case, find);
    lines.extend(trials.report(from, plan.failure.as_ref().and_then(|failure| failure.task())));
    text(lines)
}

/// Whether a task states no traffic although the interference model counts it.
pub fn lacks_traffic(case: &Case<'_>) -> bool {
    reasons::traffic(case).is_some()
}

/// Explanation of a verdict on all tasks in one partition.
pub fn of_verdict(request: &Request, case: &Case<'_>, verdict: &Verdict) -> String {
    let mut lines = reasons::of_verdict(case, verdict);
    lines.extend(reasons::traffic(case));
    let all: Vec<usize> = (0..case.set.tasks().len()).collect();
    let find = |problem: &Problem<'_>| (problem.verdict(&all, problem.sms()).schedulable, 1);
    let trials = changes::Trials::new(request, case, &find);
    lines.extend(trials.report(0, verdict.evidence.task()));
    lines.extend(in_partitions(case, verdict));
    text(lines)
}

/// Line that the tasks fit in several partitions on the same SMs, if a search finds such a plan.
fn in_partitions(case: &Case<'_>, verdict: &Verdict) -> Option<String> {
    if case.set.tasks().len() == 1 || verdict.strength == Strength::NecessaryOnly {
        return None;
    }
    let heuristic = Heuristic::Auto {
        goal: Goal::Feasible,
        limits: SearchLimits {
            budget: Some(AUTO_BUDGET),
            ..SearchLimits::default()
        },
    };
    let plan = partition(&case.problem, &heuristic);
    plan.schedulable.then(|| {
        format!(
            "In {} on the same SMs, all tasks meet their deadlines: see `gpusched partition`.",
            counted(plan.partitions.len(), "partition")
        )
    })
}

/// Name of task `index` in text, in backticks.
fn called(set: &TaskSet, index: usize) -> String {
    format!("`{}`", crate::cli::report::clip(&set.label(index), 40))
}

fn text(lines: Vec<String>) -> String {
    let lines: Vec<String> = lines.into_iter().map(|line| line + "\n").collect();
    lines.concat()
}
