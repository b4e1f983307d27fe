//! Explains why a task set is not schedulable, and which changes would make it schedulable.

mod changes;
mod reasons;

pub use changes::{Find, Trial};

use crate::arguments::{Case, Request};
use gpusched_analysis::partitioning::{HeuristicKind, Options, Problem, partition};
use gpusched_model::counted;
use gpusched_model::plan::Failure;
use gpusched_model::policy::Strength;
use gpusched_model::{Plan, TaskSet, Verdict};

/// Returns the reasons why a plan is not schedulable, and the changes that would make the task set schedulable. `find`
/// searches for a plan of a changed problem.
pub fn of_plan(request: &Request, case: &Case<'_>, plan: &Plan, find: &Find<'_>) -> String {
    let mut lines = reasons::of_plan(case, plan);
    lines.extend(without_overheads(case, plan, find));
    lines.extend(reasons::traffic(case));
    lines.extend(reasons::warm_up(
        case,
        plan.failure.as_ref().and_then(|failure| failure.task()),
    ));
    let from = plan
        .bound
        .as_ref()
        .map_or(0, |bound| bound.sms)
        .max(plan.sms_used);
    let trials = changes::Trials::new(request, case, find);
    lines.extend(trials.report(from, plan.failure.as_ref().and_then(|failure| failure.task())));
    text(lines)
}

/// Returns the reasons why a plan is not schedulable, without a search, as sentences after a headline.
pub fn in_short(case: &Case<'_>, plan: &Plan) -> String {
    let lines = reasons::of_plan(case, plan);
    match lines.is_empty() {
        true => String::new(),
        false => format!(". {}", lines.join(" ")),
    }
}

/// Whether the interference model counts memory traffic, but at least one task does not state its traffic.
pub fn lacks_traffic(case: &Case<'_>) -> bool {
    reasons::traffic(case).is_some()
}

/// Returns the reasons for a negative verdict on all tasks in one partition.
pub fn of_verdict(request: &Request, case: &Case<'_>, verdict: &Verdict) -> String {
    let mut lines = reasons::of_verdict(case, verdict);
    let all: Vec<usize> = (0..case.set.tasks().len()).collect();
    lines.extend(reasons::overheads(case, &all, case.problem.sms()));
    lines.extend(reasons::traffic(case));
    let find = |problem: &Problem<'_>| {
        Some(Trial {
            found: problem.verdict(&all, problem.sms()).schedulable,
            tests: 1,
            late: false,
        })
    };
    let trials = changes::Trials::new(request, case, &find);
    lines.extend(trials.report(0, verdict.evidence.task()));
    lines.extend(in_partitions(case, verdict));
    text(lines)
}

/// Returns a line if only the overheads of the dispatchers exclude a plan.
fn without_overheads(case: &Case<'_>, plan: &Plan, find: &Find<'_>) -> Option<String> {
    case.problem.overheads()?;
    if let Some(Failure::TaskDoesNotFit { task }) = plan.failure {
        let largest = case
            .problem
            .offer()
            .map_or(case.problem.sms(), |offer| offer.largest());
        return reasons::overheads(case, &[task], largest);
    }
    let found = find(&case.problem.without_overheads())?.found;
    found.then(|| "Without overheads, the search finds a plan.".to_owned())
}

/// Searches for a plan with several partitions on the same number of SMs. Returns a line about the plan; `None` if the
/// search finds no plan.
fn in_partitions(case: &Case<'_>, verdict: &Verdict) -> Option<String> {
    if case.set.tasks().len() == 1 || verdict.strength == Strength::NecessaryOnly {
        return None;
    }
    let heuristic = HeuristicKind::Auto.with(&Options::default().shortened()).ok()?;
    let plan = partition(&case.problem, &heuristic);
    plan.schedulable.then(|| {
        format!(
            "In {} on the same SMs, all tasks meet their deadlines: see `gpusched partition`.",
            counted(plan.partitions.len(), "partition")
        )
    })
}

/// Returns the name of task `index` in backticks, for text.
fn called(set: &TaskSet, index: usize) -> String {
    format!("`{}`", crate::report::clip(&set.label(index), 40))
}

fn text(lines: Vec<String>) -> String {
    let lines: Vec<String> = lines.into_iter().map(|line| line + "\n").collect();
    lines.concat()
}
