//! Curves of a system over one budget Q of all segments: the WCET of each segment, and the bound on the response time of each task.

use gpusched_analysis::end_to_end::analyze_draft;
use gpusched_model::Factor;
use gpusched_model::end_to_end::{Answer, BudgetsDraft, Draft, Environment, System};
use gpusched_model::error::Result;
use gpusched_model::time::Time;
use serde::Serialize;

use crate::figure::Figure;
use crate::lines::Lines;

/// Number of steps of the curves from Q = 0 to Q = 1.
const STEPS: u64 = 20;

/// Largest number of lines of a chart.
const LINES: usize = 8;

/// Largest quotient of a bound and a deadline on the chart, so that the deadline remains visible.
const HIGHEST: f64 = 2.0;

/// The curves, with a remark about absent lines.
#[derive(Serialize)]
pub(super) struct Section {
    figures: Vec<Figure>,
    note: String,
}

/// A line of a chart: its name, and its values with their budgets.
struct Line {
    name: String,
    points: Vec<(f64, f64)>,
}

/// Analyzes the system in `draft` with one budget for all segments. `draft` states budgets, and `system` is its system under them.
/// Returns `None` if the analysis refuses the system.
pub(super) fn section(draft: &Draft, system: &System) -> Result<Option<Section>> {
    let Some(budgets) = &draft.budgets else {
        return Ok(None);
    };
    let environment = Environment {
        overheads: system.overheads(),
        ..Environment::from(system.interference())
    };
    let shares = (0..=STEPS).filter_map(|step| Factor::from_billionths(step * 1_000_000_000 / STEPS));
    let mut answers = Vec::new();
    for q in shares {
        let draft = Draft {
            budgets: Some(BudgetsDraft {
                regulation_period: budgets.regulation_period,
                q: Some(q),
                by_kind: None,
                by_task: None,
                ..budgets.clone()
            }),
            ..draft.clone()
        };
        match analyze_draft(&draft, environment) {
            Ok(found) => answers.push((q.as_f64(), found.answer)),
            Err(_) => return Ok(None),
        }
    }
    let mut segments = segments(draft, &answers);
    let mut tasks = tasks(&answers);
    let last = |line: &Line| line.points.last().map_or(0.0, |&(_, value)| value);
    // Longer lines end at larger budgets, so the tasks with the shortest lines limit the budget.
    tasks.sort_by(|a, b| {
        (a.points.len(), last(b))
            .partial_cmp(&(b.points.len(), last(a)))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    segments.sort_by(|a, b| last(b).total_cmp(&last(a)));
    let ends = tasks.iter().any(|task| task.points.len() < answers.len());
    let mut figures = Vec::new();
    let mut absent = Vec::new();
    for (mut lines, what, id, caption, title, reference) in [
        (
            segments,
            "segments with smaller delays",
            "wcet-curves",
            "WCET G of each segment divided by its WCET in isolation, over one budget Q of all segments",
            "G / WCET in isolation",
            None,
        ),
        (
            tasks,
            "tasks",
            "response-curves",
            "Bound on the response time of each task divided by its deadline, over one budget Q of all segments",
            "Bound / deadline",
            Some((1.0, "deadline")),
        ),
    ] {
        if lines.len() > LINES {
            absent.push(format!("{} {what}", lines.len() - LINES));
            lines.truncate(LINES);
        }
        if lines.is_empty() {
            continue;
        }
        let chart = Lines {
            id,
            caption,
            alternative: format!("Chart: {caption}."),
            titles: ("Budget Q of all segments", title),
            reference,
            range: Some([0.0, 1.0]),
        };
        figures.push(chart.draw(lines.iter().flat_map(|line| {
            let points = line.points.iter();
            points.map(|&(q, value)| (line.name.as_str(), q, value))
        }))?);
    }
    let mut note = format!(
        "The curves are results of the analysis for {} budgets.",
        answers.len()
    );
    if ends {
        note += &format!(
            " A line of a task ends where the task has no bound, or where its bound exceeds {HIGHEST} deadlines."
        );
    }
    if !absent.is_empty() {
        note += &format!(" The charts omit {}.", absent.join(" and "));
    }
    Ok(Some(Section { figures, note }))
}

/// Returns G/G(0) of each segment with a delay.
fn segments(draft: &Draft, answers: &[(f64, Answer)]) -> Vec<Line> {
    let wcet = |answer: &Answer, task: usize, segment: usize| -> Option<Time> {
        let budgets = answer.budgets.as_ref()?;
        Some(budgets.segments.get(task)?.get(segment)?.wcet_ns)
    };
    let mut lines = Vec::new();
    for (index, task) in draft.tasks.iter().enumerate() {
        for (position, segment) in task.segments.iter().enumerate() {
            let values = answers
                .iter()
                .filter_map(|(q, answer)| Some((*q, wcet(answer, index, position)?.ns() as f64)));
            let values: Vec<(f64, f64)> = values.collect();
            let (Some(&(_, first)), Some(&(_, last))) = (values.first(), values.last()) else {
                continue;
            };
            if last > first && first > 0.0 {
                lines.push(Line {
                    name: format!("{} {position} ({})", task.name, segment.on),
                    points: values.into_iter().map(|(q, value)| (q, value / first)).collect(),
                });
            }
        }
    }
    lines
}

/// Returns the bound divided by the deadline for each task with a bound.
fn tasks(answers: &[(f64, Answer)]) -> Vec<Line> {
    let names = answers.first().map_or(&[][..], |(_, answer)| &answer.tasks);
    let lines = names.iter().enumerate().map(|(index, task)| {
        let values = answers.iter().filter_map(|(q, answer)| {
            let found = answer.tasks.get(index)?;
            let share = found.bound_ns?.ns() as f64 / found.deadline_ns.ns().max(1) as f64;
            (share <= HIGHEST).then_some((*q, share))
        });
        Line {
            name: task.name.clone(),
            points: values.collect(),
        }
    });
    lines.filter(|line| !line.points.is_empty()).collect()
}
