//! `gpusched measure kernel`: the times of a kernel on several numbers of SMs.

use std::path::PathBuf;

use serde::Serialize;

use super::conditions::{self, Conditions};
use super::series::SeriesAnswer;
use super::source::{Sizes, Source};
use crate::arguments::{named, refused, whole};
use crate::part::Other;
use crate::report::profile_columns::{GPU_COLUMNS, ORIGIN_COLUMNS, STATE_COLUMNS};
use crate::report::{Cell, Output, Palette, Progress, Report, Table, clip};
use crate::{Format, Global, Outcome, Run};
use gpusched_model::error::{Error, Result};
use gpusched_model::provenance::MeasuredOnShape;
use gpusched_model::time::Time;
use gpusched_model::{Times, counted};
use gpusched_runtime::measure::{
    Contention, Executor, LEVEL, Measured, Neighbor, Protocol, envelope, measure,
};

/// Arguments of `gpusched measure kernel`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    #[command(flatten)]
    source: Source,
    /// Numbers of SMs, e.g., 8,16,32 or 8..32:8 [default: all that the GPU grants]
    #[arg(long, value_name = "SIZES")]
    sms: Option<Sizes>,
    /// Number of jobs of each series [default: 100; 10 with --backend simulated]
    ///
    /// On a GPU, each series starts with three more jobs whose times do not count.
    #[arg(long, value_name = "N", value_parser = whole(1..=MOST))]
    samples: Option<u64>,
    /// Also measure each number of SMs with cold caches
    #[arg(long)]
    cold: bool,
    /// Kernel that shares the partition, in the form of the measured kernel; may be repeated
    ///
    /// Use kernels of the same kind: compute-intensive or memory-intensive. Their rows have the contention `conflict`.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    other: Vec<PathBuf>,
    /// How the other kernels contend
    #[arg(long, value_parser = named::<Contention>(), default_value_t)]
    contention: Contention,
    /// Also fit the time that one job exceeds with this probability, such as 1e-9
    ///
    /// The fit assumes independent jobs. gpusched omits it if the jobs depend on each other, if their times drift, and if
    /// there are too few jobs.
    #[arg(long, value_name = "P", value_parser = probability)]
    exceedance: Option<f64>,
}

const EXAMPLE: &str = "\
The CSV result has one row per job, and `wcet fit` reads it. The text and JSON results also state what the times show.
A measured time is evidence and no bound: other inputs, other clocks or a longer measurement can show longer times.

Without a GPU, `--backend simulated` measures a kernel on a simulated GPU. Its times are times on the GPU alone.

Examples:
  gpusched measure kernel tasksets/kernels/programs/copyl.json --backend simulated --machine rtx2060 --sms 6,12,30 --samples 4
  gpusched measure kernel tasksets/kernels/programs/copyl.json --backend simulated --machine rtx2060 --sms 6..30:6 --samples 4 -o measured.csv \
    && gpusched wcet fit measured.csv --period 1ms";

/// Largest number of samples of a series.
pub const MOST: u64 = 1_000_000;

fn probability(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|&p: &f64| p > 0.0 && p < 1.0);
    value.ok_or_else(|| refused(text, "a probability above 0 and below 1, such as 1e-9"))
}

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        let (discarded, samples) = self.source.jobs();
        let mut protocol = Protocol {
            sizes: self.sms.clone().unwrap_or_default().0,
            discarded,
            samples: self.samples.unwrap_or(samples),
            cold: self.cold,
            neighbors: Vec::new(),
        };
        let mut output = Output::open(global)?;
        output.keep(&self.other)?;
        let others: Vec<Other> = self.other.iter().cloned().map(Other::File).collect();
        let answer = self.source.with(&others, global, |executor| {
            // A program that embeds gpusched has other kernels without files.
            let others = executor.names().1.len();
            if others == 0 && self.contention != Contention::default() {
                return Err(Error::parameter("contention", self.contention, "another kernel"));
            }
            let inside = |other| Neighbor::Inside(other, self.contention);
            protocol.neighbors = (0..others).map(inside).collect();
            let all = run(executor, &protocol, global)?;
            Answer::new(&*executor, &all, (self.exceedance, self.source.date()))
        })?;
        // The text result contains the notes.
        let said = global.format() == Format::Text && global.file().is_none();
        if !said {
            answer.notes.iter().for_each(|note| global.note(note));
        }
        output.measured(&answer)?;
        Ok(Outcome::Positive)
    }
}

/// Runs the jobs of `protocol`, and shows their number.
///
/// # Errors
/// Fails in the same cases as [`measure`].
pub fn run(executor: &mut dyn Executor, protocol: &Protocol, global: &Global) -> Result<Vec<Measured>> {
    let series = protocol.series(&*executor)?.len() as u64;
    let jobs = series.saturating_mul(protocol.samples.saturating_add(protocol.discarded));
    let progress = Progress::of(global, jobs, "jobs");
    measure(executor, protocol, &|jobs| progress.advance(jobs))
}

/// Measurement of a kernel.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Measurement"))]
pub struct Answer {
    /// Name of the kernel.
    kernel: String,
    /// Whether the times include the overheads of a dispatcher.
    times: Times,
    /// GPU and tool, as a task states them.
    measured_on: MeasuredOnShape,
    /// State of the GPU during the measurement.
    conditions: Conditions,
    /// Series of jobs, sorted by number of SMs.
    series: Vec<SeriesAnswer>,
    /// Longest isolated times, sorted by number of SMs.
    envelope: Vec<EnvelopeAnswer>,
    /// Reasons to distrust the times.
    notes: Vec<String>,
}

/// Longest isolated time on one number of SMs.
#[derive(Copy, Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "MeasurementEnvelope"))]
struct EnvelopeAnswer {
    /// Number of SMs.
    sms: u32,
    /// Longest isolated time [ns].
    longest_ns: u64,
    /// Longest isolated time on this or a larger number of SMs [ns]. `wcet fit` uses this time.
    envelope_ns: u64,
    /// Whether the kernel is slower than on some smaller number of SMs.
    rises: bool,
}

impl Answer {
    fn new(
        executor: &dyn Executor,
        all: &[Measured],
        (exceedance, date): (Option<f64>, Option<&str>),
    ) -> Result<Answer> {
        let (kernel, others) = executor.names();
        let of = executor.conditions();
        let series = all
            .iter()
            .map(|measured| SeriesAnswer::new(measured, &others, exceedance));
        let series = series.collect::<Result<Vec<SeriesAnswer>>>()?;
        let points = envelope(all).into_iter().map(|point| EnvelopeAnswer {
            sms: point.sms,
            longest_ns: point.longest_ns,
            envelope_ns: point.envelope_ns,
            rises: point.rises,
        });
        let envelope: Vec<EnvelopeAnswer> = points.collect();
        let times = executor.times();
        let mut notes = conditions::notes(&of);
        notes.extend(remarks(&series, &envelope, times));
        Ok(Answer {
            kernel,
            times,
            measured_on: conditions::measured_on(&of, date),
            conditions: (&of).into(),
            series,
            envelope,
            notes,
        })
    }
}

/// Returns what the times show and do not show.
fn remarks(series: &[SeriesAnswer], envelope: &[EnvelopeAnswer], times: Times) -> Vec<String> {
    let mut notes = Vec::new();
    if times == Times::Gpu {
        let text = "the times are times on the GPU alone, so a plan needs the overheads of the dispatcher (`measure overhead`)";
        notes.push(text.to_owned());
    }
    notes.extend(doubts(series));
    let rises: Vec<String> = { envelope.iter() }
        .filter(|point| point.rises)
        .map(|point| point.sms.to_string())
        .collect();
    if !rises.is_empty() {
        notes.push(format!(
            "the kernel is slower on {} SMs than on fewer SMs; `wcet fit` uses the longest time on this or any larger number of SMs",
            rises.join(", ")
        ));
    }
    notes
}

/// Returns which series are dependent, drift, or are too short for a test.
pub fn doubts(series: &[SeriesAnswer]) -> Vec<String> {
    let mut notes = Vec::new();
    let listed = |of: &dyn Fn(&SeriesAnswer) -> bool| {
        let labels: Vec<String> = { series.iter() }
            .filter(|series| of(series))
            .map(SeriesAnswer::label)
            .collect();
        let more = labels.len().saturating_sub(3);
        let mut text = labels.iter().take(3).cloned().collect::<Vec<_>>().join("; ");
        if more > 0 {
            text += &format!("; and {more} more");
        }
        (!labels.is_empty()).then_some(text)
    };
    if let Some(text) = listed(&|series| series.dependent == "yes") {
        notes.push(format!(
            "the jobs depend on each other (Ljung-Box test, p at most {LEVEL}), so long times can follow each other: {text}"
        ));
    }
    for (trend, verb) in [("rising", "rise"), ("falling", "fall")] {
        if let Some(text) = listed(&|series| series.trend == trend) {
            notes.push(format!("the times {verb} in the order of the jobs: {text}"));
        }
    }
    if let Some(text) = listed(&|series| series.dependent == "unknown" && series.spread_percent > 0.0) {
        notes.push(format!("too few jobs for a test of independence: {text}"));
    }
    notes
}

impl Report for Answer {
    /// Returns one row per job.
    fn table(&self) -> Table {
        let ([gpu_sms, _], [gpu, tool, core, dram]) = (GPU_COLUMNS, ORIGIN_COLUMNS);
        let clocks = self.measured_on.clocks.unwrap_or_default();
        let rows = self.series.iter().flat_map(|series| {
            let times = series.time_ns.iter().zip(&series.gpu_ns).enumerate();
            times.map(move |(sample, (time, gpu))| (series, sample, *time, *gpu))
        });
        let table = Table::of(rows)
            .exact("sms", |(series, ..)| series.sms)
            .exact("time_ns", |(_, _, time, _)| *time)
            .exact("contention", |(series, ..)| match series.other {
                None => "isolated",
                Some(_) => "conflict",
            })
            .exact("gpu_ns", |(.., gpu)| *gpu)
            .exact("cache", |(series, ..)| series.cache.clone())
            .exact("other", |(series, ..)| series.other.clone())
            .exact("sample", |(_, sample, ..)| *sample)
            .exact("times", |_| self.times.to_string())
            .exact("kernel", |_| self.kernel.clone())
            .exact(gpu, |_| self.measured_on.gpu.clone())
            .exact(gpu_sms, |_| self.measured_on.sms)
            .exact(tool, |_| self.measured_on.tool.clone())
            .exact(core, |_| clocks.core_khz)
            .exact(dram, |_| clocks.dram_khz);
        let state = STATE_COLUMNS
            .into_iter()
            .zip(conditions::cells(&self.measured_on));
        let table = state.fold(table, |table, (name, cell)| {
            table.exact(name, move |_| cell.clone())
        });
        table.done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let gpu = self.measured_on.gpu.as_deref().unwrap_or("an unknown GPU");
        let jobs: u64 = self.series.iter().map(|series| series.samples).sum();
        let what = match self.times {
            Times::Gpu => "times on the GPU alone",
            Times::Occupancy => "occupancies, which include the overheads of the dispatcher",
        };
        let mut text = format!(
            "{} on {}: {}, {what}\n",
            clip(&self.kernel, 40),
            clip(gpu, 40),
            counted(jobs, "job")
        );
        let contended = self.series.iter().any(|series| series.other.is_some());
        let fitted = self.series.iter().any(|series| series.extreme.is_some());
        let time = |ns: u64| Cell::from(Time::from_ns(ns));
        let envelope = |series: &&SeriesAnswer| {
            let point = self.envelope.iter().find(|point| point.sms == series.sms);
            let point = point.filter(|_| series.other.is_none() && series.cache == "warm");
            Cell::or(point.map(|point| time(point.envelope_ns)), "")
        };
        let table = Table::of(&self.series)
            .number("SMs", |series| series.sms)
            .text("cache", |series| series.cache.clone())
            .when(contended, |table| {
                table
                    .text("contention", |series| series.contention.clone())
                    .text("other", |series| {
                        Cell::or(series.other.as_ref().map(|other| clip(other, 20)), "-")
                    })
            })
            .number("jobs", |series| series.samples)
            .time("shortest", |series| time(series.shortest_ns))
            .time("median", |series| time(series.median_ns))
            .time("longest", |series| time(series.longest_ns))
            .number("spread", |series| format!("{:.1} %", series.spread_percent))
            .text("trend", |series| series.trend.clone())
            .text("dependent", |series| series.dependent.clone())
            .time("envelope", envelope)
            .when(fitted, |table| {
                table.time("exceedance", |series| {
                    let wcet = series.extreme.as_ref().and_then(|extreme| extreme.wcet_ns);
                    Cell::or(wcet.map(time), "no fit")
                })
            });
        text += &table.done().render(palette.header);
        for note in &self.notes {
            text += &format!("note: {note}\n");
        }
        Ok(text)
    }
}
