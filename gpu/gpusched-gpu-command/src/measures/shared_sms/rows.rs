//! Conversion of simulation results to rows.

use super::courses::{Course, Question};
use super::{Labels, Row, SharedSms};
use gpusched_model::Scheduler;
use gpusched_study::measures::statistics::{self, ratio};

/// Returns the mean of the response times in `responses` [cycles].
fn mean(responses: &[u64]) -> f64 {
    statistics::mean(responses.iter().map(|&response| response as f64))
}

/// Returns the name of the kernel at position `kernel`.
fn name(kernel: usize) -> String {
    format!("K{}", kernel + 1)
}

impl SharedSms {
    /// Returns the rows of all simulations.
    pub(super) fn table(&self, courses: &[Course]) -> Vec<Row> {
        let mut rows = Vec::new();
        let mut alone = Vec::new();
        for course in courses {
            if let (Question::Isolated(kernel), Some(&time)) = (course.question, course.responses.first()) {
                rows.push(Labels::of("kernel", name(kernel)).row("time alone", time, "cycles"));
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

    /// Returns rows for the issue budget that minimizes the response time of the last kernel.
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
            let under_it = Labels::of("scheduler", scheduler);
            let of = |kernel: String| under_it.clone().with("kernel", kernel);
            for (kernel, response) in best.responses.iter().enumerate() {
                rows.push(of(name(kernel)).row("best response time", response, "cycles"));
            }
            let every = || "all".to_owned();
            rows.push(of(every()).decimal("best response time", mean(&best.responses), "cycles"));
            if !scheduler.has_budgets() {
                continue;
            }
            if let Question::Together { budget, .. } = best.question {
                rows.push(under_it.row("best budget", budget, ""));
            }
            let most = all().map(last).max().unwrap_or_default();
            let spread = ratio(most, last(best)) - 1.0;
            rows.push(of(name(best.responses.len() - 1)).decimal("spread", spread, "share"));
            for &other in self.schedulers.iter().filter(plain) {
                let Some(reference) = under(courses, other, None) else {
                    continue;
                };
                let gain = |kernel: String, before: f64, now: f64| {
                    let of = of(kernel).with("against", other);
                    of.decimal("gain", 1.0 - now / before.max(1.0), "share")
                };
                for (kernel, (&now, &before)) in best.responses.iter().zip(&reference.responses).enumerate() {
                    rows.push(gain(name(kernel), before as f64, now as f64));
                }
                rows.push(gain(every(), mean(&reference.responses), mean(&best.responses)));
            }
        }
        rows
    }
}

/// Returns the simulation under `scheduler`. If the scheduler uses issue budgets, the last kernel has issue budget
/// `budget`.
fn under(courses: &[Course], scheduler: Scheduler, budget: Option<u32>) -> Option<&Course> {
    courses.iter().find(|course| match course.question {
        Question::Together {
            scheduler: its,
            budget: given,
        } => its == scheduler && (!scheduler.has_budgets() || budget == Some(given)),
        Question::Isolated(_) => false,
    })
}

/// Returns the rows of one simulation of concurrent kernels.
fn together(course: &Course, scheduler: Scheduler, budget: u32, alone: &[u64]) -> Vec<Row> {
    let of = |kernel: String| {
        Labels::of("kernel", kernel)
            .with("scheduler", scheduler)
            .with("budget", budget)
    };
    let mut rows = Vec::new();
    for (kernel, (&response, &alone)) in course.responses.iter().zip(alone).enumerate() {
        let of = of(name(kernel));
        rows.push(of.row("response time", response, "cycles"));
        rows.push(of.decimal("slowdown", ratio(response, alone), ""));
    }
    let all = of("all".to_owned());
    rows.push(all.decimal("mean response time", mean(&course.responses), "cycles"));
    rows.push(all.row("last finish", course.last, "cycles"));
    rows
}
