//! What simulations say, as rows.

use super::courses::{Course, Question};
use super::{Row, SharedSms};
use gpusched_model::Scheduler;

/// Mean of response times [cycles].
fn mean(responses: &[u64]) -> f64 {
    responses.iter().sum::<u64>() as f64 / responses.len().max(1) as f64
}

/// The name of a kernel by its position.
fn name(kernel: usize) -> String {
    format!("K{}", kernel + 1)
}

fn decimal(value: f64) -> String {
    format!("{value:.6}")
}

impl SharedSms {
    /// All rows.
    pub(super) fn table(&self, courses: &[Course]) -> Vec<Row> {
        let mut rows = Vec::new();
        let mut alone = Vec::new();
        for course in courses {
            if let (Question::Alone(kernel), Some(&time)) = (course.question, course.responses.first()) {
                rows.push(Row::new("time alone", time, "cycles").with("kernel", name(kernel)));
                alone.push(time);
            }
        }
        for &scheduler in &self.schedulers {
            for &budget in &self.budgets {
                rows.extend(
                    under(courses, scheduler, Some(budget))
                        .map(|course| together(course, scheduler, budget, &alone))
                        .unwrap_or_default(),
                );
            }
        }
        rows.extend(self.best(courses));
        rows
    }

    /// Rows under the budget with which the last kernel has the shortest response time.
    fn best(&self, courses: &[Course]) -> Vec<Row> {
        let mut rows = Vec::new();
        let plain = |scheduler: &&Scheduler| !scheduler.has_budgets();
        let last = |course: &Course| course.responses.last().copied().unwrap_or_default();
        for &scheduler in &self.schedulers {
            let all = || {
                courses.iter().filter(move |course| matches!(course.question, Question::Together { scheduler: its, .. } if its == scheduler))
            };
            let Some(best) = all().min_by_key(|course| last(course)) else {
                continue;
            };
            let row =
                |quantity, value: String, unit| Row::new(quantity, value, unit).with("scheduler", scheduler);
            for (kernel, response) in best.responses.iter().enumerate() {
                rows.push(
                    row("best response time", response.to_string(), "cycles").with("kernel", name(kernel)),
                );
            }
            rows.push(
                row("best response time", decimal(mean(&best.responses)), "cycles").with("kernel", "all"),
            );
            if !scheduler.has_budgets() {
                continue;
            }
            if let Question::Together { budget, .. } = best.question {
                rows.push(row("best budget", budget.to_string(), ""));
            }
            let most = all().map(last).max().unwrap_or_default();
            let spread = most as f64 / last(best).max(1) as f64 - 1.0;
            rows.push(row("spread", decimal(spread), "share").with("kernel", name(best.responses.len() - 1)));
            for &other in self.schedulers.iter().filter(plain) {
                let Some(reference) = under(courses, other, None) else {
                    continue;
                };
                let gain = |kernel: String, before: f64, now: f64| {
                    row("gain", decimal(1.0 - now / before.max(1.0)), "share")
                        .with("kernel", kernel)
                        .with("against", other)
                };
                for (kernel, (&now, &before)) in best.responses.iter().zip(&reference.responses).enumerate() {
                    rows.push(gain(name(kernel), before as f64, now as f64));
                }
                rows.push(gain(
                    "all".to_owned(),
                    mean(&reference.responses),
                    mean(&best.responses),
                ));
            }
        }
        rows
    }
}

/// The run under `scheduler`, with `budget` where it has budgets.
fn under(courses: &[Course], scheduler: Scheduler, budget: Option<u32>) -> Option<&Course> {
    courses.iter().find(|course| match course.question {
        Question::Together {
            scheduler: its,
            budget: given,
        } => its == scheduler && (!scheduler.has_budgets() || budget == Some(given)),
        Question::Alone(_) => false,
    })
}

/// Rows of one run.
fn together(course: &Course, scheduler: Scheduler, budget: u32, alone: &[u64]) -> Vec<Row> {
    let row = |kernel: String, quantity, value: String, unit| {
        Row::new(quantity, value, unit)
            .with("kernel", kernel)
            .with("scheduler", scheduler)
            .with("budget", budget)
    };
    let mut rows = Vec::new();
    for (kernel, (&response, &alone)) in course.responses.iter().zip(alone).enumerate() {
        let slowdown = response as f64 / alone.max(1) as f64;
        rows.push(row(name(kernel), "response time", response.to_string(), "cycles"));
        rows.push(row(name(kernel), "slowdown", decimal(slowdown), ""));
    }
    let all = || "all".to_owned();
    rows.push(row(
        all(),
        "mean response time",
        decimal(mean(&course.responses)),
        "cycles",
    ));
    rows.push(row(all(), "last finish", course.last.to_string(), "cycles"));
    rows
}
