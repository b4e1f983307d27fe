//! `gpusched test`: all tasks in one partition.

use super::output::Palette;
use super::question::{Answer, Case, Question, csv_line, json_line};
use super::table::{Column, Table, clip};
use super::{Format, Global, Outcome};
use crate::error::Result;
use crate::model::policy::Strength;
use crate::model::{Evidence, Kind, Utilization, Verdict};

/// Tests whether tasks meet their deadlines in one partition.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    #[command(flatten)]
    question: Question,
}

const EXAMPLE: &str = "\
Task sets and tasks are numbered from 0. A pass under work-capacity is a necessary condition and proves nothing.

Example:
  gpusched test tasksets/tasksets/adas.json --platform orin";

const HEADER: &str = "set,name,schedulable,policy,reason,strength,sms,utilization,evidence\n";

impl Args {
    /// Answers for each task set.
    ///
    /// # Errors
    /// Bad usage, bad input, or output that cannot be written.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        let (format, palette) = (global.format(), Palette::of(global));
        let header = if format == Format::Csv { HEADER } else { "" };
        self.question.ask(global, header, |case| {
            let tasks: Vec<usize> = (0..case.set.tasks().len()).collect();
            let verdict = case.problem.verdict(&tasks, case.problem.sms());
            let text = match format {
                Format::Json => json_line(&verdict)?,
                Format::Csv => csv(case, &tasks, &verdict)?,
                Format::Text if case.alone => {
                    report(case, &tasks, &verdict, &self.question.test_name(), &palette)
                }
                Format::Text => line(case, &verdict, &palette),
            };
            Ok(Answer {
                positive: verdict.schedulable,
                text,
            })
        })
    }
}

/// The answer in two or three words, in color.
fn headline(verdict: &Verdict, palette: &Palette) -> String {
    let (style, words) = match (verdict.schedulable, verdict.strength) {
        (true, Strength::NecessaryOnly) => (palette.good, "NECESSARY CONDITION HOLDS"),
        (true, _) => (palette.good, "SCHEDULABLE"),
        (false, _) if matches!(verdict.evidence, Evidence::Undecided { .. }) => (palette.bad, "UNDECIDED"),
        (false, _) => (palette.bad, "NOT SCHEDULABLE"),
    };
    format!("{style}{words}{style:#}")
}

/// One line of a list.
fn line(case: &Case<'_>, verdict: &Verdict, palette: &Palette) -> String {
    format!(
        "{}: {}: {}{}{}\n",
        case.index,
        headline(verdict, palette),
        verdict.evidence,
        case.naming(verdict.evidence.task()),
        case.in_brackets()
    )
}

/// All there is to say about one task set.
fn report(case: &Case<'_>, tasks: &[usize], verdict: &Verdict, test: &str, palette: &Palette) -> String {
    let sms = case.problem.sms();
    let name = case
        .set
        .name()
        .map_or("task set".to_owned(), |name| clip(name, 40));
    let mut text = format!(
        "{}: {name}, {} tasks in one partition of {sms} SMs under {test}\n{}{}\n\n",
        headline(verdict, palette),
        tasks.len(),
        verdict.evidence,
        case.naming(verdict.evidence.task())
    );
    let mut table = Table::new([
        Column::Right("#"),
        Column::Left("task"),
        Column::Left("kind"),
        Column::Right("C(m)"),
        Column::Right("D"),
        Column::Right("T"),
        Column::Right("utilization"),
    ]);
    let demands = case.problem.demands(tasks, sms);
    for (index, task) in case.set.tasks().iter().enumerate() {
        let demand = demands.as_ref().ok().and_then(|demands| demands.get(index));
        table.row([
            index.to_string(),
            task.name().map_or("-".to_owned(), |name| clip(name, 40)),
            match task.kind() {
                Some(Kind::Compute) => "compute",
                Some(Kind::Memory) => "memory",
                None => "-",
            }
            .to_owned(),
            demand.map_or("?".to_owned(), |demand| demand.wcet.to_string()),
            task.deadline().to_string(),
            task.period().to_string(),
            demand.map_or("?".to_owned(), |demand| {
                decimals(Some(Utilization::of(demand.wcet, demand.period)))
            }),
        ]);
    }
    let total = case.problem.utilization(tasks, sms);
    table.row(["", "total", "", "", "", "", &decimals(total)].map(str::to_owned));
    text += &table.render(palette.header);
    text
}

fn csv(case: &Case<'_>, tasks: &[usize], verdict: &Verdict) -> Result<String> {
    let sms = case.problem.sms();
    csv_line([
        case.index.to_string(),
        case.set.name().unwrap_or_default().to_owned(),
        verdict.schedulable.to_string(),
        verdict.policy.to_string(),
        verdict.evidence.reason().to_owned(),
        verdict.strength.to_string(),
        sms.to_string(),
        case.problem
            .utilization(tasks, sms)
            .map_or(String::new(), |u| format!("{:.6}", u.as_f64())),
        verdict.evidence.to_string(),
    ])
}

/// A utilization for people.
pub(super) fn decimals(utilization: Option<Utilization>) -> String {
    utilization.map_or("?".to_owned(), |u| format!("{:.3}", u.as_f64()))
}
