//! The page of a recording shows the audit of the recorded run.

use gpusched_model::counted;
use gpusched_model::error::Result;
use gpusched_model::time::Time;
use gpusched_recording::audit::{self, Audit, Finding, FindingKind, Visible};
use gpusched_sim::timeline::Timeline;
use gpusched_study::plot::gantt::{Options, svg};
use serde::Serialize;

use crate::figure::Figure;
use crate::verdict::{Check, Verdict};
use crate::view::{Cell, Table, Tone};
use crate::{Page, page};

/// Maximum number of slices on the chart.
const SLICES: usize = 1_500;

/// The input of a page.
#[derive(Clone, Debug)]
pub struct Input<'a> {
    /// Name of the recording, for display.
    pub file: &'a str,
    /// Audit of the recording.
    pub audit: &'a Audit,
    /// Planned windows and recorded kernels of the tasks.
    pub timeline: &'a Timeline,
    /// Remarks about the content of the recording.
    pub notes: &'a [String],
}

#[derive(Serialize)]
struct Content<'a> {
    heading: &'a str,
    verdict: Verdict,
    notes: &'a [String],
    checks: Table,
    violations: Option<Table>,
    unknown: Option<Table>,
    figure: Option<Figure>,
    run: String,
    planned: bool,
}

/// Creates the page of an audit.
///
/// # Errors
/// Fails with [`Error::Internal`](gpusched_model::error::Error::Internal) if a template does not match the content.
pub fn page(input: &Input<'_>) -> Result<Page> {
    let audit = input.audit;
    let (unknown, violations): (Vec<&Finding>, Vec<&Finding>) = audit
        .findings
        .iter()
        .partition(|finding| finding.kind == FindingKind::Unknown);
    let (figure, run) = chart(input.timeline)?;
    let content = Content {
        heading: input.file,
        verdict: verdict(input),
        notes: input.notes,
        checks: checks(audit),
        violations: table_of(&violations),
        unknown: not_visible(&unknown),
        figure,
        run,
        planned: audit.planned,
    };
    let title = format!("Recording: {}", input.file);
    Ok(Page {
        html: page::render("recording.html", &title, &content)?,
        positive: audit.kept,
    })
}

fn verdict(input: &Input<'_>) -> Verdict {
    let audit = input.audit;
    let violations = audit.findings.iter();
    let violations = violations
        .filter(|finding| finding.kind != FindingKind::Unknown)
        .count();
    let (tone, word, sentence) = match audit.verdict {
        Visible::Kept if audit.shows_partitions() => {
            (Tone::Good, "Kept", "The recording shows no violation.".to_owned())
        }
        Visible::Kept => {
            let sentence =
                "The recording shows no violation, but it does not show the SMs of the partitions.";
            (Tone::Good, "Kept as far as visible", sentence.to_owned())
        }
        Visible::Broken => {
            let count = counted(violations, "violation");
            (Tone::Bad, "Broken", format!("The recording shows {count}."))
        }
        Visible::NotVisible => {
            let sentence = match audit.shows_every_task() {
                false => "The recording shows no jobs of at least one task.",
                true => "The recording lacks records that could show a violation.",
            };
            (Tone::Open, "Not visible", sentence.to_owned())
        }
    };
    let mut checks = Vec::new();
    if audit.unassigned_launches > 0 {
        let launches = counted(audit.unassigned_launches, "launch");
        let text =
            format!("The job of {launches}. Execution times may be longer, and overlaps may be missing.");
        checks.push(Check::new(Tone::Open, "not visible", text));
    }
    if audit.dropped_jobs > 0 {
        let text = format!("{} of the warm-up.", counted(audit.dropped_jobs, "job"));
        checks.push(Check::new(Tone::Open, "not checked", text));
    }
    let text =
        "One recording proves nothing about other runs. It shows contexts, and not the SMs of thread blocks.";
    checks.push(Check::new(Tone::Open, "not checked", text.to_owned()));
    Verdict {
        tone,
        word: word.to_owned(),
        sentence,
        checks,
        positive: audit.kept,
    }
}

/// The table has one row for each task, and one column for each subject of the checks.
fn checks(audit: &Audit) -> Table {
    let mut names: Vec<&str> = Vec::new();
    for check in &audit.checks {
        if !names.contains(&check.task.as_str()) {
            names.push(&check.task);
        }
    }
    let table = Table::of(names)
        .text("Task", |name| *name)
        .number("Jobs", |name| {
            of_task(audit, name).next().map_or(0, |check| check.jobs)
        })
        .each(audit.subjects(), |table, subject| {
            table.text(&*capitalized(subject.title()), |name| {
                let check = of_task(audit, name).find(|check| check.subject == subject);
                checked(check.map(|check| (check.verdict, check.slack_ns)))
            })
        });
    table.done().on_page(
        "checks",
        "Checks of each task; the slack is the distance to the limit",
    )
}

fn capitalized(title: &str) -> String {
    let mut letters = title.chars();
    letters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .chain(letters)
        .collect()
}

fn of_task<'a>(audit: &'a Audit, name: &'a str) -> impl Iterator<Item = &'a audit::Check> {
    audit.checks.iter().filter(move |check| check.task == name)
}

fn checked(check: Option<(Visible, Option<i128>)>) -> Cell {
    match check {
        None | Some((Visible::NotVisible, _)) => Cell::toned("not visible", Tone::Open),
        Some((Visible::Broken, slack)) => {
            let by = slack
                .and_then(|slack| u64::try_from(-slack).ok())
                .filter(|&by| by > 0);
            let by = by.map(|by| format!(" by up to {}", Time::from_ns(by)));
            Cell::toned(format!("broken{}", by.unwrap_or_default()), Tone::Bad)
        }
        Some((Visible::Kept, slack)) => {
            let slack = slack.and_then(|slack| u64::try_from(slack).ok());
            let slack = slack.map(|slack| format!(", slack {}", Time::from_ns(slack)));
            Cell::toned(format!("kept{}", slack.unwrap_or_default()), Tone::Good)
        }
    }
}

fn table_of(findings: &[&Finding]) -> Option<Table> {
    let table = Table::of(findings)
        .text("Violation", |finding| {
            Cell::toned(finding.kind.to_string(), Tone::Bad)
        })
        .text("Task", |finding| &finding.task)
        .number("Job", |finding| Cell::of(finding.job))
        .time("Time", |finding| Cell::of(finding.at_ns.map(Time::from_ns)))
        .time("Amount", |finding| Cell::of(finding.by_ns.map(Time::from_ns)))
        .text("Detail", |finding| &finding.detail);
    let table = table.done().on_page("violations", "Violations, sorted by time");
    (!table.is_empty()).then_some(table)
}

fn not_visible(findings: &[&Finding]) -> Option<Table> {
    let table = Table::of(findings)
        .text("Task", |finding| &finding.task)
        .text("Check", |finding| finding.check.to_string())
        .text("Reason", |finding| &finding.detail);
    let table = table
        .done()
        .on_page("unknown", "Checks for which the recording lacks the data");
    (!table.is_empty()).then_some(table)
}

/// Draws the start of `timeline`, and returns a sentence about the extent of the chart.
fn chart(timeline: &Timeline) -> Result<(Option<Figure>, String)> {
    let layout = timeline.layout();
    let tracks = layout.iter().flat_map(|process| &process.tracks);
    let mut starts: Vec<Time> = tracks
        .flat_map(|track| &track.slices)
        .map(|slice| slice.start)
        .collect();
    let (Some((from, last)), false) = (timeline.span(), starts.is_empty()) else {
        return Ok((None, "The recording shows no jobs of the tasks.".to_owned()));
    };
    starts.sort_unstable();
    // Several slices may start together, so the window must have a positive length.
    let to = starts.get(SLICES).map_or(last, |&start| {
        start.max(Time::from_ns(from.ns().saturating_add(1)))
    });
    let to = to.min(last.max(Time::from_ns(from.ns().saturating_add(1))));
    let options = Options {
        from: Some(from),
        to: Some(to),
        ..Options::default()
    };
    let note = match to < last {
        true => format!("The chart shows the recording from {from} to {to}. The recording ends at {last}."),
        false => format!("The chart shows the whole recording, from {from} to {last}."),
    };
    let alternative =
        "Gantt chart of the recorded jobs. The table of violations lists each violation with its time.";
    let caption = "For each task: the outline of the window of each job from its release to its deadline, and the recorded kernels. Crosses mark violations.";
    let figure = Figure::new("gantt", caption, alternative, &svg(timeline, &options)?);
    Ok((Some(figure), note))
}
