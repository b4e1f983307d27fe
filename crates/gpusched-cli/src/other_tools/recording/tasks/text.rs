//! Report on derived tasks as text.

use super::files::NAME;
use super::releases::observed;
use crate::recording::source::Source;
use crate::report::{Cell, Palette, Table, clip};
use gpusched_model::counted;
use gpusched_model::time::Time;
use gpusched_recording::tasks::{CopyRule, Derived, Options, TaskReport};

/// A task set with the description of its sources.
pub struct Text<'a> {
    pub derived: &'a Derived,
    pub sources: &'a [&'a Source],
    pub options: &'a Options<'a>,
    /// Whether the user states files of hardware counters.
    pub has_counters: bool,
}

impl Text<'_> {
    /// Returns the report.
    pub fn render(&self, palette: &Palette) -> String {
        let mut text = String::new();
        let time = |ns: Option<u64>| Cell::or(ns.map(Time::from_ns), "-");
        let tasks = self.derived.tasks.iter().zip(self.derived.set.tasks());
        let points = tasks.flat_map(|(report, task)| {
            let points = report.points.iter().enumerate();
            points.map(move |(index, point)| ((index == 0).then_some((report, task)), point))
        });
        let table = Table::of(points)
            .text("task", |(first, _)| {
                first.map(|(report, _)| clip(&report.name, NAME))
            })
            .number("jobs", |(_, point)| point.jobs)
            .time("period", |(first, _)| first.map(|(_, task)| task.period()))
            .time("least distance", |(first, _)| {
                let rhythm = first.map(|(report, _)| observed(report));
                rhythm.map(|rhythm| time(rhythm.map(|rhythm| rhythm.least_distance_ns)))
            })
            .time("deadline", |(first, _)| first.map(|(_, task)| task.deadline()))
            .time("jitter", |(first, _)| first.map(|(_, task)| task.jitter()))
            .number("SMs", |(_, point)| point.sms)
            .text(
                "contention",
                |(_, point)| if point.conflict { "conflict" } else { "isolated" },
            )
            .time("median", |(_, point)| time(point.times.median_ns))
            .time("p99", |(_, point)| time(point.times.p99_ns))
            .time("longest", |(_, point)| time(point.times.max_ns))
            .time("C(m)", |(_, point)| Time::from_ns(point.wcet_ns));
        text += &table.done().render(palette.header);
        let copies = match self.options.copies {
            CopyRule::LeaveOut => "",
            CopyRule::Count => " and the longest time for copies around the kernels",
        };
        text += &format!(
            "\nC(m) is {} times the longest time{copies}\n",
            self.options.margin
        );
        for report in &self.derived.tasks {
            text += &self.worst(report);
        }
        text.push('\n');
        for note in self.notes() {
            text += &format!("note: {note}\n");
        }
        text
    }

    /// Returns the longest jobs of a task with their places, and the extreme-value estimate of the task.
    fn worst(&self, report: &TaskReport) -> String {
        let worst = report.worst.iter().map(|job| {
            let (time, at) = (Time::from_ns(job.execution_ns), Time::from_ns(job.at_ns));
            let file = match self.sources {
                [_] => String::new(),
                _ => format!(" in {}", job.file),
            };
            format!(
                "{time} on {} (job {} at {at}{file})",
                counted(job.sms, "SM"),
                job.job
            )
        });
        let mut text = format!(
            "{}: longest time {}; gaps fill at most {:.0} % of a job",
            clip(&report.name, NAME),
            worst.collect::<Vec<String>>().join(", "),
            100.0 * report.largest_gaps.1
        );
        if let Some((sms, slowdown)) = report.slowdown {
            text += &format!(
                "; in conflict on {} up to {slowdown:.2} times as long",
                counted(sms, "SM")
            );
        }
        if let Some((sms, estimate)) = &report.tail {
            let trusted = estimate.tail.as_ref().is_some_and(|tail| tail.trustworthy);
            text += &match (trusted, estimate.warnings.first()) {
                (true, _) => format!(
                    "; estimated on {}: a job exceeds {} with probability {:e}",
                    counted(*sms, "SM"),
                    estimate.wcet,
                    self.options.exceedance
                ),
                (false, Some(warning)) => {
                    format!(
                        "; no extreme-value estimate on {}: {warning}",
                        counted(*sms, "SM")
                    )
                }
                (false, None) => String::new(),
            };
        }
        text + "\n"
    }
}
