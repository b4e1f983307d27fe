//! Results of `budget sequence` as text.

use crate::budget::estimates::{count, over_nominal, percent};
use crate::report::{About, Cell, Palette, Report, Shown, Table, clip};
use gpusched_model::Verdict;
use gpusched_model::counted;
use gpusched_model::error::Result;
use gpusched_model::time::Time;
use gpusched_sim::regulation::sequence::{KernelSetting, SequencePolicy, SequenceSummary};

/// Maximum number of jobs per policy that the text lists.
const SHOWN: usize = 20;

/// Maximum length of a name in text [characters].
pub(super) const LONGEST: usize = 40;

impl Report for About<Shown, SequenceSummary> {
    fn text(&self, palette: &Palette) -> Result<String> {
        let About(shown, summary) = self;
        let sum = |count: fn(&SequencePolicy) -> u64| summary.policies.iter().map(count).sum::<u64>();
        let (missed, late) = (sum(|policy| policy.missed_jobs), sum(|policy| policy.late_jobs));
        let (style, verdict) = match (missed, late) {
            (0, 0) => (
                palette.good,
                "every job meets its deadline and takes at most its nominal WCET".to_owned(),
            ),
            _ => (
                palette.bad,
                format!(
                    "in the runs of all policies, {}, and {} than the nominal WCET",
                    match missed {
                        1 => "1 job MISSES its deadline".to_owned(),
                        _ => format!("{missed} jobs MISS their deadlines"),
                    },
                    match late {
                        1 => "1 job takes longer".to_owned(),
                        _ => format!("{late} jobs take longer"),
                    },
                ),
            ),
        };
        let jobs: u64 = summary.kernels.iter().map(|kernel| kernel.jobs).sum();
        let mut text = format!(
            "{}: {} in {} under {}: {style}{verdict}{style:#}\n",
            clip(summary.system.as_deref().unwrap_or("kernels"), LONGEST),
            counted(jobs, "job"),
            summary.horizon_ns,
            summary.dispatch,
        );
        if let Some(verdict) = &summary.verdict {
            text += &beforehand(verdict, palette);
        }
        text += &format!(
            "{} under each policy, seed {}, straddling {}\n",
            counted(summary.runs, "run"),
            summary.seed,
            summary.straddling
        );
        text += &format!("{}\n", kernels(&summary.kernels, palette));
        text += &format!("{}\n", policies(&summary.policies, palette));
        Ok(text + &jobs_of(summary, palette) + &shown.text(summary.assumptions.as_deref()))
    }
}

fn beforehand(verdict: &Verdict, palette: &Palette) -> String {
    let word = if verdict.schedulable {
        "SCHEDULABLE"
    } else {
        "NOT SCHEDULABLE"
    };
    let word = palette.verdict(verdict.schedulable, word);
    let reason = verdict.evidence.reason();
    let policy = verdict.policy;
    format!("test with nominal WCETs before the simulation: {word} under {policy} ({reason})\n")
}

fn kernels(kernels: &[KernelSetting], palette: &Palette) -> String {
    let table = Table::of(kernels.iter().enumerate())
        .text("kernel", |(index, _)| name(kernels, *index))
        .time("period", |(_, kernel)| Cell::or(kernel.period_ns, "-"))
        .time("offset", |(_, kernel)| kernel.offset_ns)
        .time("deadline", |(_, kernel)| Cell::or(kernel.deadline_ns, "-"))
        .number("nominal Q", |(_, kernel)| kernel.nominal_q.to_string())
        .time("nominal WCET", |(_, kernel)| kernel.wcet_nominal_ns)
        .number("jobs", |(_, kernel)| kernel.jobs);
    table.done().render(palette.header)
}

/// Returns the position and the name of a kernel, such as `#0 histo`.
fn name(kernels: &[KernelSetting], index: usize) -> String {
    let name = kernels.get(index).and_then(|kernel| kernel.name.as_deref());
    match name {
        Some(name) => format!("#{index} {}", clip(name, LONGEST)),
        None => format!("#{index}"),
    }
}

fn policies(policies: &[SequencePolicy], palette: &Palette) -> String {
    let table = Table::of(policies)
        .text("policy", |policy| policy.policy.to_string())
        .number("best-effort requests", |policy| count(&policy.requests))
        .number("over nominal", |policy| over_nominal(policy.improvement.as_ref()))
        .number("while kernels run", |policy| count(&policy.running_requests))
        .number("over nominal", |policy| {
            over_nominal(policy.running_improvement.as_ref())
        })
        .number("idle", |policy| percent(&policy.idle_share))
        .number("smallest margin", |policy| {
            let margin = policy.kernels.iter().map(|kernel| kernel.margin_ns).min();
            Cell::or(margin.map(signed), "-")
        })
        .number("missed", |policy| policy.missed_jobs)
        .number("late", |policy| policy.late_jobs);
    table.done().render(palette.header)
}

fn jobs_of(summary: &SequenceSummary, palette: &Palette) -> String {
    let hidden = summary
        .policies
        .iter()
        .map(|policy| policy.jobs.len().saturating_sub(SHOWN));
    let rest = match hidden.sum() {
        0usize => String::new(),
        more => format!(
            "… and {}; --format json lists all jobs\n",
            counted(more as u64, "more job")
        ),
    };
    let title = match summary.runs {
        1 => "",
        _ => "jobs of the first run\n",
    };
    let jobs = summary.policies.iter().flat_map(|policy| {
        let jobs = policy.jobs.iter().take(SHOWN);
        jobs.map(|job| (policy.policy, job))
    });
    let table = Table::of(jobs)
        .text("policy", |(policy, _)| policy.to_string())
        .text("kernel", |(_, job)| name(&summary.kernels, job.kernel))
        .number("job", |(_, job)| job.job)
        .number("release", |(_, job)| milliseconds(job.release_ns))
        .number("start", |(_, job)| milliseconds(job.start_ns))
        .number("finish", |(_, job)| milliseconds(job.finish_ns))
        .number("response", |(_, job)| milliseconds(job.response_ns))
        .number("due", |(_, job)| Cell::or(job.due_ns.map(milliseconds), "-"))
        .number("margin", |(_, job)| signed(job.margin_ns))
        .text("", |(_, job)| match (job.missed, job.late()) {
            (false, false) => "",
            (true, false) => "MISSED",
            (false, true) => "LATE",
            (true, true) => "MISSED, LATE",
        });
    title.to_owned() + &table.done().render(palette.header) + &rest
}

fn milliseconds(time: Time) -> String {
    signed(i64::try_from(time.ns()).unwrap_or(i64::MAX))
}

fn signed(ns: i64) -> String {
    format!("{:.4}ms", ns as f64 / 1e6)
}
