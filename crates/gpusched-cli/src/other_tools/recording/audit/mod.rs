//! `gpusched recording audit`: compares a recorded run with its task set and its plan.

mod audited;
mod chart;

use std::path::PathBuf;

pub use audited::Request;

use super::source::Reading;
use crate::arguments::refused;
use crate::report::{About, Output, Palette, Report, Table, TimelineFiles, clip};
use crate::{Global, Outcome, Run};
use gpusched_model::counted;
use gpusched_model::device::PortLevel;
use gpusched_model::error::Result;
use gpusched_model::time::Time;
use gpusched_recording::audit::{
    Audit, Check, Finding, FindingKind, ObservedPorts, Replay, Subject, Visible,
};

/// Number of violations of one kind and task that the text lists.
const SHOWN: usize = 5;

/// Arguments of `gpusched recording audit`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Recording of the run
    ///
    /// Without a plan, the size states the number of SMs for C(m): a number of SMs (`run.sqlite@16`), a percentage of
    /// MPS (`run.sqlite@50%`), or a MIG slice (`run.sqlite@3g.20gb` with `--gpu`).
    #[arg(value_name = "FILE[@SIZE]")]
    file: PathBuf,
    /// Task set of the run
    #[arg(long, value_name = "SET")]
    set: PathBuf,
    /// Plan of the run, to check partitions and contexts
    #[arg(long, value_name = "PLAN")]
    plan: Option<PathBuf>,
    /// Activity of a task with another name; may be repeated
    #[arg(long, value_name = "TASK=ACTIVITY", value_parser = pair)]
    task: Vec<(String, String)>,
    /// Records of thread blocks of a task, to check their SMs; may be repeated
    ///
    /// FILE is a block trace with a column `sm`, a log of cuda_scheduling_examiner, or a file of the probe `block_sched` of
    /// Neutrino.
    #[arg(long, value_name = "TASK=FILE", value_parser = file, requires = "plan")]
    blocks: Vec<(String, PathBuf)>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    timeline_files: TimelineFiles,
}

const EXAMPLE: &str = "\
The verdict is `kept`, `broken`, or `not-visible` if the file shows no jobs of a task, or if it lacks records that could show a
violation, such as launches without times. Each check has its own verdict. A recording shows contexts, and not the SMs of thread
blocks. State records of the blocks with `--blocks`, and gpusched checks that they ran on SMs of the partition. If all kernels ran
in one context, the verdict says that the file does not show the partitions. Partitions that share a stream are a violation.

Exit code 0: the file shows no violation, and it shows jobs of every task. 1: otherwise.

Example:
  gpusched recording tasks tasksets/recordings/robot/alone-8.sqlite@8 -o robot.json && gpusched recording audit tasksets/recordings/robot/alone-8.sqlite@8 --set robot.json";

pub fn pair(text: &str) -> Result<(String, String), String> {
    let pair = text
        .split_once('=')
        .filter(|(task, activity)| !task.is_empty() && !activity.is_empty());
    let pair = pair.map(|(task, activity)| (task.to_owned(), activity.to_owned()));
    pair.ok_or_else(|| refused(text, "TASK=ACTIVITY, such as camera=detect_kernel"))
}

fn file(text: &str) -> Result<(String, PathBuf), String> {
    let pair = pair(text).map_err(|_| refused(text, "TASK=FILE, such as camera=0.125.bin"));
    pair.map(|(task, file)| (task, file.into()))
}

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        let mut output = Output::open(global)?;
        let canvas = self.timeline_files.open(&mut output)?;
        let request = Request {
            file: &self.file,
            set: &self.set,
            plan: self.plan.as_deref(),
            names: &self.task,
            blocks: &self.blocks,
            reading: &self.reading,
        };
        let audited = request.audited(global)?;
        for note in &audited.notes {
            global.note(format_args!("{}: {note}", audited.source.file));
        }
        if self.timeline_files.wanted() {
            let timeline = audited
                .timeline()
                .map_err(|error| self.timeline_files.refuse(error))?;
            canvas.draw(&timeline, &audited.source.file, &mut output)?;
        }
        let (file, found) = (audited.source.file, audited.found);
        let kept = found.kept;
        output.last(&About(file, found))?;
        Ok(kept.into())
    }
}

impl Report for About<String, Audit> {
    fn table(&self) -> Table {
        let table = Table::of(&self.1.findings)
            .exact("task", |finding| &finding.task)
            .exact("kind", |finding| finding.kind.to_string())
            .exact("check", |finding| finding.check.to_string())
            .exact("job", |finding| finding.job)
            .exact("at_ns", |finding| finding.at_ns)
            .exact("by_ns", |finding| finding.by_ns)
            .exact("detail", |finding| &finding.detail);
        table.done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let About(file, audit) = self;
        let mut text = match audit.verdict {
            Visible::Kept => match hidden(audit) {
                None => format!("KEPT: {file} shows no violation\n"),
                Some(hidden) => {
                    format!(
                        "KEPT as far as visible: {file} shows no violation, but it does not show {hidden}\n"
                    )
                }
            },
            Visible::Broken => format!("BROKEN: {file} shows violations\n"),
            Visible::NotVisible => match audit.shows_every_task() {
                false => format!("NOT VISIBLE: {file} shows no jobs of some tasks\n"),
                true if audit.has_no_green_context() => format!(
                    "NOT VISIBLE: {file} does not show that the partitions existed, because no kernel states a green context\n"
                ),
                true => format!("NOT VISIBLE: {file} lacks records that could show a violation\n"),
            },
        };
        text += &audit.replay.as_ref().map(replayed).unwrap_or_default();
        text += &audit.ports.as_ref().map(ports).unwrap_or_default();
        let mut names: Vec<&str> = Vec::new();
        for check in &audit.checks {
            if !names.contains(&check.task.as_str()) {
                names.push(&check.task);
            }
        }
        let table = Table::of(names)
            .text("task", |name| clip(name, 40))
            .number("jobs", |name| {
                of_task(audit, name).next().map_or(0, |check| check.jobs)
            })
            .each(audit.subjects(), |table, subject| {
                table.text(subject.title(), |name| {
                    let check = of_task(audit, name).find(|check| check.subject == subject);
                    match check.map(|check| (check.verdict, check.slack_ns)) {
                        Some((Visible::Kept, Some(slack))) => {
                            let slack = Time::from_ns(u64::try_from(slack).unwrap_or_default());
                            format!("kept, slack {slack}")
                        }
                        Some((Visible::Kept, None)) => "kept".to_owned(),
                        Some((Visible::Broken, _)) => "BROKEN".to_owned(),
                        Some((Visible::NotVisible, _)) | None => "not visible".to_owned(),
                    }
                })
            });
        text.push('\n');
        text += &table.done().render(palette.header);
        let (unknown, broken): (Vec<_>, Vec<_>) = audit
            .findings
            .iter()
            .partition(|finding| finding.kind == FindingKind::Unknown);
        let missing = !audit.shows_every_task();
        if audit.dropped_jobs > 0 {
            let dropped = counted(audit.dropped_jobs, "job");
            text += &format!("\nwarm-up: dropped {dropped}, which the checks ignore\n");
        }
        if !broken.is_empty() {
            text.push('\n');
        }
        let same = |first: &&Finding, second: &&Finding| {
            (&first.task, first.kind, first.check) == (&second.task, second.kind, second.check)
        };
        let mut shown: Vec<(&Finding, usize, Option<u64>)> = Vec::new(); // first of a kind, number and largest amount
        for finding in broken {
            let of_kind = match shown.iter_mut().find(|(first, ..)| same(first, &finding)) {
                Some((_, number, most)) => {
                    *number += 1;
                    *most = finding.by_ns.max(*most);
                    *number
                }
                None => {
                    shown.push((finding, 1, finding.by_ns));
                    1
                }
            };
            if of_kind > SHOWN {
                continue;
            }
            let at = { finding.at_ns }
                .map(|at| format!(" at {}", Time::from_ns(at)))
                .unwrap_or_default();
            let job = finding.job.map(|job| format!(" job {job}")).unwrap_or_default();
            let by = finding
                .by_ns
                .map(|by| format!(" by {}", Time::from_ns(by)))
                .unwrap_or_default();
            text += &format!(
                "{} of {}{job}{at}{by}: {}\n",
                finding.kind,
                clip(&finding.task, 40),
                finding.detail
            );
        }
        for (first, number, most) in shown.iter().filter(|&&(_, number, _)| number > SHOWN) {
            let most = most.map(|by| format!(", by up to {}", Time::from_ns(by)));
            text += &format!(
                "{} of {}: {} more{} (`--format csv` lists each)\n",
                first.kind,
                clip(&first.task, 40),
                number - SHOWN,
                most.unwrap_or_default()
            );
        }
        if !unknown.is_empty() || audit.unassigned_launches > 0 {
            text += "\nnot visible in this file:\n";
        }
        if audit.unassigned_launches > 0 {
            let launches = counted(audit.unassigned_launches as u64, "launch");
            text += &format!(
                "the job of {launches}, so execution times may be longer and overlaps may be missing\n"
            );
        }
        // One line per check and reason.
        let mut reasons: Vec<(Subject, &str, Vec<String>)> = Vec::new();
        for finding in unknown {
            let task = clip(&finding.task, 40).to_string();
            let same = |(check, detail, _): &&mut (Subject, &str, Vec<String>)| {
                (*check, *detail) == (finding.check, finding.detail.as_str())
            };
            match reasons.iter_mut().find(same) {
                Some((.., tasks)) => tasks.push(task),
                None => reasons.push((finding.check, &finding.detail, vec![task])),
            }
        }
        for (check, detail, tasks) in reasons {
            text += &format!("{check} of {}: {detail}\n", tasks.join(", "));
        }
        if missing {
            text += "\nhint: name the activity of a task with `--task TASK=ACTIVITY`, or try `--by kernel` or `--by stream`\n";
        }
        Ok(text)
    }
}

/// Returns what the file does not show, although no check is broken.
fn hidden(audit: &Audit) -> Option<String> {
    let limits = audit.hidden_limits().into_iter().map(|subject| match subject {
        Subject::Releases => "the releases of all jobs",
        Subject::Deadlines => "that all jobs met their deadlines",
        _ => "that all jobs kept to their WCETs",
    });
    let partitions = (!audit.shows_partitions()).then_some(if audit.has_no_green_context() {
        "that the partitions existed, because no kernel states a green context"
    } else if audit.has_one_context() {
        "that the partitions existed, because all kernels ran in one context"
    } else {
        "the SMs of the partitions"
    });
    let all: Vec<&str> = limits.chain(partitions).collect();
    match all.as_slice() {
        [] => None,
        [only] => Some((*only).to_owned()),
        [first @ .., last] => Some(format!("{} and {last}", first.join(", "))),
    }
}

/// Returns a line about the replay of a dispatcher.
fn replayed(replay: &Replay) -> String {
    let (decisions, partitions) = (
        counted(replay.decisions, "decision"),
        counted(replay.partitions, "partition"),
    );
    let wake = match replay.wake_ns {
        Some(wake) => format!("a wake-up bound of {}", Time::from_ns(wake)),
        None => "no wake-up bound".to_owned(),
    };
    let overhead = Time::from_ns(replay.overhead_ns);
    let ends = replay.ends_ns.map(|end| {
        format!(
            "the trace ends at {}, before the end of the run\n",
            Time::from_ns(end)
        )
    });
    format!(
        "replayed {decisions} of {partitions}, with an overhead of {overhead} per job and {wake}\n{}",
        ends.unwrap_or_default()
    )
}

/// Maximum number of shared ports in the text.
const MOST_PORTS: usize = 4;

/// Returns a line about the ports that partitions share.
fn ports(ports: &ObservedPorts) -> String {
    let levels = if ports.gpcs_known { "TPC or GPC" } else { "TPC" };
    if ports.shared.is_empty() {
        return format!("by the observed SM ids, no two partitions share a {levels}\n");
    }
    let named = ports.shared.iter().take(MOST_PORTS).map(|port| {
        let partitions: Vec<String> = port.partitions.iter().map(usize::to_string).collect();
        let level = match port.level {
            PortLevel::Gpc => "GPC",
            _ => "TPC",
        };
        format!("{level} {} (partitions {})", port.number, partitions.join("+"))
    });
    let named: Vec<String> = named.collect();
    let more = if ports.shared.len() > MOST_PORTS {
        " and others"
    } else {
        ""
    };
    format!(
        "by the observed SM ids, partitions share {}{more}\n",
        named.join(", ")
    )
}

fn of_task<'a>(audit: &'a Audit, name: &'a str) -> impl Iterator<Item = &'a Check> {
    audit.checks.iter().filter(move |check| check.task == name)
}
