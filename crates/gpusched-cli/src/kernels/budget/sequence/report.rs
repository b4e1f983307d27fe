//! Results of `budget sequence` as text.

use crate::report::{About, Column, Palette, Report, Shown, Table, clip};
use gpusched_model::Verdict;
use gpusched_model::counted;
use gpusched_model::error::Result;
use gpusched_model::time::Time;
use gpusched_sim::regulation::Estimate;
use gpusched_sim::regulation::sequence::{Dispatch, Job, KernelSetting, SequencePolicy, SequenceSummary};

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
            text += &beforehand(verdict, summary.dispatch, palette);
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

fn beforehand(verdict: &Verdict, dispatch: Dispatch, palette: &Palette) -> String {
    let (style, word) = match verdict.schedulable {
        true => (palette.good, "SCHEDULABLE"),
        false => (palette.bad, "NOT SCHEDULABLE"),
    };
    let reason = verdict.evidence.reason();
    let test = match dispatch {
        Dispatch::Fifo => "np-edf with the smallest deadline for all kernels".to_owned(),
        _ => verdict.policy.to_string(),
    };
    format!("test with nominal WCETs before the simulation: {style}{word}{style:#} under {test} ({reason})\n")
}

fn kernels(kernels: &[KernelSetting], palette: &Palette) -> String {
    let mut table = Table::new([
        Column::Left("kernel"),
        Column::Right("period"),
        Column::Right("offset"),
        Column::Right("deadline"),
        Column::Right("nominal Q"),
        Column::Right("nominal WCET"),
        Column::Right("jobs"),
    ]);
    let time = |time: Option<Time>| time.map_or("-".to_owned(), |time| time.to_string());
    for index in 0..kernels.len() {
        let Some(kernel) = kernels.get(index) else {
            continue;
        };
        table.row([
            name(kernels, index),
            time(kernel.period_ns),
            kernel.offset_ns.to_string(),
            time(kernel.deadline_ns),
            kernel.nominal_q.to_string(),
            kernel.wcet_nominal_ns.to_string(),
            kernel.jobs.to_string(),
        ]);
    }
    table.render(palette.header)
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
    let mut table = Table::new([
        Column::Left("policy"),
        Column::Right("best-effort requests"),
        Column::Right("over nominal"),
        Column::Right("while kernels run"),
        Column::Right("over nominal"),
        Column::Right("idle"),
        Column::Right("smallest margin"),
        Column::Right("missed"),
        Column::Right("late"),
    ]);
    let over = |improvement: &Option<Estimate>| {
        improvement.as_ref().map_or("-".to_owned(), |over| {
            format!("{:+.1}{} %", over.mean * 100.0, around(over, 100.0, 1))
        })
    };
    let requests = |requests: &Estimate| format!("{:.0}{}", requests.mean, around(requests, 1.0, 0));
    for policy in policies {
        let margin = policy.kernels.iter().map(|kernel| kernel.margin_ns).min();
        table.row([
            policy.policy.to_string(),
            requests(&policy.requests),
            over(&policy.improvement),
            requests(&policy.running_requests),
            over(&policy.running_improvement),
            format!(
                "{:.1}{} %",
                policy.idle_share.mean * 100.0,
                around(&policy.idle_share, 100.0, 1)
            ),
            margin.map_or("-".to_owned(), signed),
            policy.missed_jobs.to_string(),
            policy.late_jobs.to_string(),
        ]);
    }
    table.render(palette.header)
}

fn jobs_of(summary: &SequenceSummary, palette: &Palette) -> String {
    let mut table = Table::new([
        Column::Left("policy"),
        Column::Left("kernel"),
        Column::Right("job"),
        Column::Right("release"),
        Column::Right("start"),
        Column::Right("finish"),
        Column::Right("response"),
        Column::Right("due"),
        Column::Right("margin"),
        Column::Left(""),
    ]);
    let mut hidden = 0;
    for policy in &summary.policies {
        hidden += policy.jobs.len().saturating_sub(SHOWN);
        for job in policy.jobs.iter().take(SHOWN) {
            table.row(row(policy, job, &summary.kernels));
        }
    }
    let rest = match hidden {
        0 => String::new(),
        more => format!(
            "… and {}; --format json lists all jobs\n",
            counted(more as u64, "more job")
        ),
    };
    let title = match summary.runs {
        1 => "",
        _ => "jobs of the first run\n",
    };
    title.to_owned() + &table.render(palette.header) + &rest
}

fn row(policy: &SequencePolicy, job: &Job, kernels: &[KernelSetting]) -> [String; 10] {
    let word = match (job.missed, job.late()) {
        (false, false) => "",
        (true, false) => "MISSED",
        (false, true) => "LATE",
        (true, true) => "MISSED, LATE",
    };
    [
        policy.policy.to_string(),
        name(kernels, job.kernel),
        job.job.to_string(),
        milliseconds(job.release_ns),
        milliseconds(job.start_ns),
        milliseconds(job.finish_ns),
        milliseconds(job.response_ns),
        job.due_ns.map_or("-".to_owned(), milliseconds),
        signed(job.margin_ns),
        word.to_owned(),
    ]
}

/// Returns half the width of the confidence interval as text, such as `±1.2`. The text is empty if there is only one
/// run.
fn around(estimate: &Estimate, scale: f64, decimals: usize) -> String {
    let half = estimate.high.map(|high| (high - estimate.mean) * scale);
    half.map_or(String::new(), |half| format!(" ±{half:.decimals$}"))
}

fn milliseconds(time: Time) -> String {
    signed(i64::try_from(time.ns()).unwrap_or(i64::MAX))
}

fn signed(ns: i64) -> String {
    format!("{:.4}ms", ns as f64 / 1e6)
}
