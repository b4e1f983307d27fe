//! `gpusched recording tasks`: derives a task set from recordings.

mod files;
mod names;
mod notes;
mod releases;
mod text;

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::source::{Reading, Source};
use crate::arguments::notes::Notes;
use crate::arguments::{named, refused};
use crate::report::{Output, Palette, Rows};
use crate::{Format, Global, Outcome};
use gpusched_analysis::kernel_wcet::fit::scaling::EnvelopeForm;
use gpusched_model::Factor;
use gpusched_model::error::{Refusal, Result};
use gpusched_model::time::Time;
use gpusched_recording::model::Tool;
use gpusched_recording::readers::{Options as ReadOptions, read};
use gpusched_recording::tasks::{CopyRule, Counters, Gaps, Options, Run, build};

/// Arguments of `gpusched recording tasks`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Recordings in isolation, each with the size of its partition
    ///
    /// The size is a number of SMs (`run.sqlite@16`), a percentage of MPS (`run.sqlite@50%`), or a MIG slice
    /// (`run.sqlite@3g.20gb` with `--gpu`). Without a size, the file must contain it: as green contexts, or as the
    /// number of SMs of the GPU.
    #[arg(value_name = "FILE[@SIZE]", required = true)]
    files: Vec<PathBuf>,
    /// Recording with contention, for the conflict WCET; may be repeated
    #[arg(long, value_name = "FILE[@SIZE]")]
    conflict: Vec<PathBuf>,
    #[command(flatten)]
    reading: Reading,
    /// Factor by which C(m) exceeds the longest measured time
    #[arg(long, value_name = "FACTOR", default_value = "1.2", value_parser = margin)]
    margin: Factor,
    /// Treatment of gaps between the kernels of a job
    #[arg(long, value_parser = named::<Gaps>(), default_value_t)]
    gaps: Gaps,
    /// Treatment of copies before the first and after the last kernel of a job
    #[arg(long, value_parser = named::<CopyRule>(), default_value_t)]
    copies: CopyRule,
    /// Form of C(m)
    #[arg(long, value_parser = named::<EnvelopeForm>(), default_value = "table")]
    form: EnvelopeForm,
    /// Page of Nsight Compute (CSV) with DRAM bytes, for `traffic`; may be repeated
    #[arg(long, value_name = "FILE")]
    counters: Vec<PathBuf>,
    /// Period of an activity, in place of the observed period; may be repeated
    #[arg(long, value_name = "NAME=TIME", value_parser = stated)]
    period: Vec<(String, Time)>,
    /// Period of an activity in the deployed system, if it differs; may be repeated
    ///
    /// The task has this period. The jitter is the jitter of the recorded releases, with the period of `--period` or the observed period.
    #[arg(long, value_name = "NAME=TIME", value_parser = stated)]
    deployed_period: Vec<(String, Time)>,
    /// Deadline of an activity [default: its period]; may be repeated
    #[arg(long, value_name = "NAME=TIME", value_parser = stated)]
    deadline: Vec<(String, Time)>,
    /// Exceedance probability per job of the extreme-value estimate (information only)
    #[arg(long, value_name = "P", default_value = "1e-9", value_parser = probability)]
    exceedance: f64,
}

const EXAMPLE: &str = "\
The result is a task set (JSON). With --format text, it is a report on each task. With --format csv, it has one row per job.

The execution time of a job is the time from the start of its first kernel to the end of its last kernel. The period and the jitter
are observed. State the period of the design with --period if you know it. Measured times do not bound later runs.

Examples:
  gpusched recording tasks tasksets/recordings/robot/alone-8.sqlite@8 --warm-up 1 --format text
  gpusched recording tasks tasksets/recordings/robot/alone-8.sqlite@8 --warm-up 1 | gpusched partition - --sms 16";

/// CSV columns.
const COLUMNS: &str = "file,sms,contention,activity,job,release_ns,start_ns,end_ns,busy_ns,gaps_ns,launches";

fn margin(text: &str) -> Result<Factor, String> {
    let value = text.parse().ok().and_then(Factor::from_f64);
    let value = value.filter(|&value| value >= Factor::ONE && value.as_f64() <= 1000.0);
    value.ok_or_else(|| refused(text, "a factor from 1 to 1000 with at most nine decimals"))
}

fn stated(text: &str) -> Result<(String, Time), String> {
    let parsed = text.rsplit_once('=').and_then(|(name, time)| {
        let time: Time = time.parse().ok()?;
        (time > Time::ZERO).then(|| (name.to_owned(), time))
    });
    parsed.ok_or_else(|| refused(text, "NAME=TIME with a time above 0, such as camera=33ms"))
}

fn probability(text: &str) -> Result<f64, String> {
    let value: Option<f64> = text.parse().ok();
    let value = value.filter(|value| (f64::MIN_POSITIVE..=0.5).contains(value));
    value.ok_or_else(|| refused(text, "a probability above 0, at most 0.5"))
}

/// Adds a hint to a refusal of an activity, whose C(m) may not have the requested form.
fn hinted(refusal: Refusal) -> Refusal {
    match refusal.field().starts_with("activity ") && refusal.advice().is_none() {
        true => refusal.hint("use `--form table`"),
        false => refusal,
    }
}

impl crate::Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        let mut output = Output::open(global)?;
        let mut counters = Counters::default();
        for file in &self.counters {
            let options = ReadOptions {
                tool: Some(Tool::Ncu),
                calls: false,
                unpacked: self.reading.unpacking.limit(),
            };
            counters.add(&read(file, options, &mut |_| {})?);
        }
        let read = |files: &[PathBuf]| -> Result<Vec<Source>> {
            files
                .iter()
                .map(|file| self.reading.source(global, file, true))
                .collect()
        };
        let (isolated, conflict) = (read(&self.files)?, read(&self.conflict)?);
        let run = |(source, conflict)| {
            let source: &Source = source;
            Run {
                file: &source.file,
                recording: &source.recording,
                activities: &source.activities.list,
                outside: &source.activities.outside,
                sms: source.sms,
                client: source.client,
                gpu: self.reading.gpu.as_ref(),
                conflict,
            }
        };
        let both = isolated.iter().map(|source| (source, false));
        let runs: Vec<Run<'_>> = both
            .chain(conflict.iter().map(|source| (source, true)))
            .map(run)
            .collect();
        let by_name = |stated: &[(String, Time)]| stated.iter().cloned().collect::<BTreeMap<String, Time>>();
        let (periods, deadlines) = (by_name(&self.period), by_name(&self.deadline));
        let deployed = by_name(&self.deployed_period);
        let options = Options {
            warm_up: self.reading.warm_ups(),
            margin: self.margin,
            form: self.form,
            gaps: self.gaps,
            copies: self.copies,
            counters: &counters,
            periods: &periods,
            deployed: &deployed,
            deadlines: &deadlines,
            exceedance: self.exceedance,
        };
        let derived = build(&runs, &options).map_err(|error| error.map_refusal(hinted))?;
        if !global.quiet {
            Notes::default().on(&derived.set);
        }
        let sources: Vec<&Source> = isolated.iter().chain(&conflict).collect();
        let text = text::Text {
            derived: &derived,
            sources: &sources,
            options: &options,
            has_counters: !self.counters.is_empty(),
        };
        // A task set is JSON, so JSON is the format unless the user chooses another one.
        let format = match (global.format, global.format()) {
            (None, Format::Csv) => Format::Csv,
            (format, _) => format.unwrap_or(Format::Json),
        };
        if format != Format::Text {
            text.notes().iter().for_each(|note| global.note(note));
        }
        match format {
            Format::Text => output.answer(text.render(&Palette::of(global)))?,
            Format::Csv => {
                output.write(format!("{COLUMNS}\n"))?;
                output.answer(rows(&runs)?)?;
            }
            Format::Json => output.json(&derived.set)?,
        }
        Ok(Outcome::Positive)
    }
}

/// Returns CSV with one row per job, including the jobs of the warm-up.
fn rows(runs: &[Run<'_>]) -> Result<String> {
    let mut rows = Rows::default();
    for run in runs {
        let contention = if run.conflict { "conflict" } else { "isolated" };
        for activity in run.activities {
            for (index, job) in activity.jobs.iter().enumerate() {
                let times = (job.release, job.start, job.end, job.busy_ns, job.gaps_ns());
                let place = (run.file, run.sms, contention, &activity.name, index);
                rows.add((place, times, job.launches.len()))?;
            }
        }
    }
    rows.finish()
}
