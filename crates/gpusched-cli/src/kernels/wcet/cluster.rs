//! `gpusched wcet cluster`: builds the profile of a kernel from block traces.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use crate::arguments::{named, refused, whole};
use crate::report::{About, Output, Palette, Progress, Report, Table, clip};
use crate::wcet::distinct;
use crate::{Global, Outcome, Run, complain};
use gpusched_analysis::kernel_wcet::clustering::{CELLS, Clustering, Options, Wcets};
use gpusched_analysis::kernel_wcet::trace::{Level, MAX_SAMPLES, Recorder, Trace};
use gpusched_model::Kernel;
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::kernel::{Cluster, Distribution, MAX_ACTIVE, MAX_CLUSTERS, TailFamily};
use gpusched_model::time::Time;
use gpusched_model::time::decimal::{Rounding, nanoseconds as scaled};
use gpusched_recording::block_trace::{Format as TraceFormat, Input};

/// Arguments of `gpusched wcet cluster`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Trace with a column q (0 isolated, 1 interference); `-` is standard input
    #[arg(value_name = "TRACE", required_unless_present_any = ["isolated", "interference"])]
    traces: Vec<PathBuf>,
    /// Trace of runs in isolation; may be repeated
    #[arg(long, value_name = "FILE")]
    isolated: Vec<PathBuf>,
    /// Trace of runs under unregulated memory traffic; may be repeated
    #[arg(long, value_name = "FILE")]
    interference: Vec<PathBuf>,
    /// Format of all traces [default: from file ending and content]
    #[arg(long, value_parser = named::<TraceFormat>(), value_name = "FORMAT")]
    trace_format: Option<TraceFormat>,
    /// Name of the kernel in files of cuda_scheduling_examiner
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Smallest clock frequency of the SMs during the runs, such as 1410MHz
    ///
    /// Only files of Neutrino require it, because they state times in cycles. A frequency above the real one is unsafe.
    #[arg(long, value_name = "FREQUENCY", value_parser = frequency)]
    sm_clock: Option<NonZeroU64>,
    /// Number M of concurrent blocks on the whole GPU [default: maximum in the trace]
    #[arg(long, value_name = "M", value_parser = whole(1..=MAX_ACTIVE))]
    active_blocks: Option<u32>,
    /// Regulation period T of best-effort memory traffic
    #[arg(long, value_name = "TIME", default_value = "1ms")]
    regulation_period: Time,
    /// Probability that clustering separates blocks with equal distributions
    #[arg(long, value_name = "P", default_value_t = Options::default().alpha, value_parser = alpha)]
    alpha: f64,
    /// Maximum number of clusters
    #[arg(long, value_name = "N", default_value_t = Options::default().most as u64,
          value_parser = whole(1..=MAX_CLUSTERS as u64))]
    max_clusters: u64,
    /// Largest number of measurements to compare, per block and interference level
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = whole(1..=MAX_SAMPLES as u64))]
    samples: u64,
    /// Method for the WCETs e0 and e1: longest measured time, or extreme-value fit
    #[arg(long, value_parser = named::<Estimate>(), default_value_t)]
    estimate: Estimate,
    /// Probability that a block exceeds e0 or e1, for gev and gpd [default: 1e-9]
    #[arg(long, value_name = "P", value_parser = probability)]
    exceedance: Option<f64>,
    /// Name of the kernel in the profile
    #[arg(long)]
    name: Option<String>,
}

fn alpha(text: &str) -> Result<f64, String> {
    let value: Option<f64> = text.parse().ok();
    value
        .filter(|&value| value > 0.0 && value < 1.0)
        .ok_or_else(|| refused(text, "a number between 0 and 1"))
}

fn probability(text: &str) -> Result<f64, String> {
    let value: Option<f64> = text.parse().ok();
    value
        .filter(|value| (f64::MIN_POSITIVE..=0.5).contains(value))
        .ok_or_else(|| refused(text, "a probability above 0, at most 0.5"))
}

/// Adds a hint to the refusal of times in cycles.
fn clocked(refusal: Refusal) -> Refusal {
    match refusal.field() == "sm_clock" {
        true => refusal.hint("state the smallest clock frequency of the runs, such as `--sm-clock 1410MHz`"),
        false => refusal,
    }
}

/// Parses a frequency [Hz]. A lower frequency makes times longer, so gpusched rounds down.
fn frequency(text: &str) -> Result<NonZeroU64, String> {
    let units = [("GHz", 9), ("MHz", 6), ("kHz", 3)];
    let split = units
        .iter()
        .find_map(|(unit, exponent)| Some((text.strip_suffix(unit)?, *exponent)));
    let value =
        split.and_then(|(value, exponent)| scaled(value.trim_end().as_bytes(), exponent, Rounding::Down));
    let range = 1_000_000..=10_000_000_000;
    let value = value.filter(|hz| range.contains(hz)).and_then(NonZeroU64::new);
    value.ok_or_else(|| refused(text, "a frequency from 1MHz to 10GHz, such as 1410MHz or 1.41GHz"))
}

/// Method to determine the WCETs e0 and e1.
#[derive(
    Copy, Clone, PartialEq, Eq, Debug, Default, strum::Display, strum::EnumMessage, strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
enum Estimate {
    /// Longest measured time.
    #[default]
    Max,
    /// Generalized extreme value distribution of block maxima.
    Gev,
    /// Generalized Pareto distribution of times over a threshold.
    Gpd,
}

const EXAMPLE: &str = "\
A trace is a CSV file with the columns run, block, start_ns (optional), duration_ns and q. Or it is a JSONL file with these fields,
an output file of cuda_scheduling_examiner, or an output file of the probe block_sched of Neutrino. Memory use does not grow with the
number of runs.

Example:
  gpusched wcet cluster tasksets/traces/two-paths.csv -o kernel.json";

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        let output = Output::open(global)?;
        let trace = self.read(global)?;
        let active = self.active(&trace)?;
        let most = usize::try_from(self.max_clusters).unwrap_or(MAX_CLUSTERS);
        let options = Options {
            alpha: self.alpha,
            most,
        };
        let pool = global.pool()?;
        let clustering = pool.install(|| Clustering::new(&trace, &options))?;
        let profile =
            pool.install(|| clustering.profile(&trace, active, self.regulation_period, self.wcets()?))?;
        let kernel = profile.kernel.with_name(self.name.clone());
        if self.active_blocks.is_none() {
            global.note(format_args!(
                "gpusched uses `--active-blocks {active}`, the largest number of concurrent blocks in the trace"
            ));
        }
        doubts(&trace, &clustering)
            .iter()
            .for_each(|doubt| global.note(doubt));
        // Warnings appear even with `--quiet`.
        for warning in &profile.warnings {
            complain(&format!("warning: {warning}"));
        }
        output.last(&About((trace, self.wcets()?), kernel))?;
        Ok(Outcome::Positive)
    }
}

impl Args {
    fn wcets(&self) -> Result<Wcets> {
        let tail = |family| Wcets::Tail {
            family,
            exceedance: self.exceedance.unwrap_or(1e-9),
        };
        match (self.estimate, self.exceedance) {
            (Estimate::Max, None) => Ok(Wcets::Longest),
            (Estimate::Max, Some(_)) => Err(Error::parameter(
                "exceedance",
                "no --estimate gev or gpd",
                "--estimate gev or gpd, because the longest measured time has no exceedance probability",
            )),
            (Estimate::Gev, _) => Ok(tail(TailFamily::Gev)),
            (Estimate::Gpd, _) => Ok(tail(TailFamily::Gpd)),
        }
    }

    fn read(&self, global: &Global) -> Result<Trace> {
        let given = |paths: &[PathBuf], level| -> Vec<(PathBuf, Option<Level>)> {
            paths.iter().map(|path| (path.clone(), level)).collect()
        };
        let mut files = given(&self.traces, None);
        files.extend(given(&self.isolated, Some(Level::Isolated)));
        files.extend(given(&self.interference, Some(Level::Interference)));
        distinct(files.iter().map(|(path, _)| path.as_path()))?;
        let samples = usize::try_from(self.samples).unwrap_or(MAX_SAMPLES);
        let mut recorder = Recorder::new(samples, global.seed());
        let progress = progress(global, files.iter().map(|(path, _)| path.as_path()));
        let mut before = 0;
        for (path, level) in &files {
            let input = Input {
                format: self.trace_format,
                level: *level,
                kernel: self.kernel.as_deref(),
                sm_clock_hz: self.sm_clock,
            };
            let mut read = 0;
            input
                .read(path, &mut recorder, &mut |bytes| {
                    read = bytes;
                    progress.at(before + bytes);
                })
                .map_err(|error| error.map_refusal(clocked))?;
            before += read;
        }
        drop(progress);
        recorder.finish()
    }

    fn active(&self, trace: &Trace) -> Result<u32> {
        match (self.active_blocks, trace.active) {
            (Some(active), _) => Ok(active),
            (None, Some(active)) => {
                let expected = format!("at most {}", u32::MAX);
                u32::try_from(active).map_err(|_| Error::parameter("active_blocks", active, expected))
            }
            (None, None) => {
                let expected = "the number of concurrent blocks on the GPU, because a trace without start times does not show this number";
                Err(Error::parameter("active_blocks", "none", expected))
            }
        }
    }
}

/// Returns notes on weaknesses of the measurements and of the profile.
fn doubts(trace: &Trace, clustering: &Clustering) -> Vec<String> {
    let mut doubts = Vec::new();
    let (runs, kept) = (trace.isolated.runs(), trace.isolated.kept());
    if (kept as u64) < runs {
        doubts.push(format!(
            "gpusched compared blocks by only {kept} of {runs} runs, selected at random (--samples); all other values use all runs"
        ));
    }
    if trace.interference.runs() < runs {
        let few = trace.interference.runs();
        doubts.push(format!(
            "e1 is the longest time of fewer runs ({few} under interference) than e0 ({runs} in isolation)"
        ));
    }
    if clustering.rejected() > 0 {
        doubts.push(format!(
                "{} blocks differ from the other blocks of their cluster, because {} clusters were not enough (--max-clusters); the WCETs \
                 are safe",
            clustering.rejected(),
            clustering.clusters()
        ));
    }
    if !clustering.is_exact() {
        doubts.push(format!(
            "there are more than {CELLS} different times, so gpusched treated the closest times as equal"
        ));
    }
    let figures = clustering.summaries(&trace.isolated).into_iter();
    for (index, (e0, e1)) in figures.zip(clustering.summaries(&trace.interference)).enumerate() {
        if e1.max < e0.max {
            doubts.push(format!(
                "cluster {index}: the longest time under interference, {}, is shorter than in isolation, so the longest isolated time is e1",
                Time::from_ns(e1.max)
            ));
        }
    }
    doubts
}

/// Returns a progress bar for the bytes of `files`. If the size of a file is unknown, returns a counter.
fn progress<'a>(global: &Global, mut files: impl Iterator<Item = &'a Path>) -> Progress {
    let length = |path: &Path| {
        std::fs::metadata(path)
            .ok()
            .filter(|file| file.is_file())
            .map(|file| file.len())
    };
    match files.try_fold(0u64, |total, path| total.checked_add(length(path)?)) {
        Some(total) => Progress::of(global, total, "bytes"),
        None => Progress::new(global, "bytes"),
    }
}

fn text(kernel: &Kernel, trace: &Trace, palette: &Palette) -> String {
    let count = |count: usize, word: &str| match count {
        1 => format!("1 {word}"),
        _ => format!("{count} {word}s"),
    };
    let shown = |ns: f64| Time::from_ns(ns.round().max(0.0) as u64);
    let table = Table::of(kernel.clusters().iter().enumerate())
        .number("cluster", |(index, _)| *index)
        .number("blocks", |(_, cluster)| cluster.blocks())
        .each(SIDES, |table, (title, time, moments)| {
            table
                .time(title, move |(_, cluster)| time(cluster))
                .time("mean", move |(_, cluster)| {
                    moments(cluster).map(|found| shown(found.mean_ns))
                })
                .time("std", move |(_, cluster)| {
                    moments(cluster).map(|found| shown(found.std_ns))
                })
                .number("fit", move |(_, cluster)| {
                    let fit = moments(cluster).map(|found| found.goodness_of_fit);
                    fit.map(|fit| fit.map_or("-".to_owned(), |fit| format!("{fit:.2}")))
                })
        });
    format!(
        "{}: {} thread blocks, {} at a time, in {} and {}\n{} in isolation (e0), {} under interference \
         (e1); fit: a value above 1 rejects a normal distribution\n\n{}",
        kernel
            .name()
            .map_or_else(|| "kernel".to_owned(), |name| clip(name, 60)),
        kernel.blocks(),
        kernel.active_blocks(),
        count(kernel.clusters().len(), "cluster"),
        count(kernel.intervals().len(), "interval"),
        count(
            usize::try_from(trace.isolated.runs()).unwrap_or(usize::MAX),
            "run"
        ),
        count(
            usize::try_from(trace.interference.runs()).unwrap_or(usize::MAX),
            "run"
        ),
        table.done().render(palette.header)
    )
}

/// A time of a cluster, with its name and its distribution.
type Side = (
    &'static str,
    fn(&Cluster) -> Time,
    fn(&Cluster) -> Option<&Distribution>,
);

const SIDES: [Side; 2] = [
    ("e0", Cluster::isolated, Cluster::isolated_distribution),
    ("e1", Cluster::contended, Cluster::interference_distribution),
];

/// CSV columns of each of the [`SIDES`].
const COLUMNS: [[&str; 6]; 2] = [
    [
        "e0_ns",
        "isolated_mean_ns",
        "isolated_std_ns",
        "isolated_fit",
        "isolated_percentile",
        "e0_from",
    ],
    [
        "e1_ns",
        "interference_mean_ns",
        "interference_std_ns",
        "interference_fit",
        "interference_percentile",
        "e1_from",
    ],
];

impl Report for About<(Trace, Wcets), Kernel> {
    fn table(&self) -> Table {
        let sides = SIDES.into_iter().zip(COLUMNS);
        let table = Table::of(self.1.clusters().iter().enumerate())
            .exact("cluster", |(index, _)| *index)
            .exact("blocks", |(_, cluster)| cluster.blocks())
            .each(
                sides,
                |table, ((_, time, of), [name, mean, std, fit, percentile, from])| {
                    let number = |value: Option<f64>| value.map(|value| value.to_string());
                    table
                        .exact(name, |(_, cluster)| time(cluster))
                        .exact(mean, |(_, cluster)| {
                            number(of(cluster).map(|found| found.mean_ns))
                        })
                        .exact(std, |(_, cluster)| number(of(cluster).map(|found| found.std_ns)))
                        .exact(fit, |(_, cluster)| {
                            number(of(cluster).and_then(|found| found.goodness_of_fit))
                        })
                        .exact(percentile, |(_, cluster)| {
                            number(of(cluster).and_then(|found| found.percentile))
                        })
                        .exact(from, |(_, cluster)| of(cluster).map(source))
                },
            );
        table.done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let About((trace, wcets), kernel) = self;
        Ok(estimated(wcets, kernel) + &text(kernel, trace, palette))
    }
}

/// Returns the source of the WCET of a distribution.
fn source(found: &Distribution) -> &'static str {
    match &found.tail {
        None => "max",
        Some(tail) if !tail.trustworthy => "doubtful fit",
        Some(tail) => match tail.family {
            TailFamily::Gev => "gev",
            TailFamily::Gpd => "gpd",
        },
    }
}

/// If the WCETs are results of an extreme-value fit, returns a line about them. Otherwise, returns an empty text.
fn estimated(wcets: &Wcets, kernel: &Kernel) -> String {
    let Wcets::Tail { family, exceedance } = *wcets else {
        return String::new();
    };
    let mut text = format!(
        "e0, e1: estimates from a {}; one block exceeds an estimate with probability {exceedance:e}",
        match family {
            TailFamily::Gev => "generalized extreme value distribution",
            TailFamily::Gpd => "generalized Pareto distribution",
        }
    );
    let levels = kernel.clusters().iter().flat_map(|cluster| {
        [
            cluster.isolated_distribution(),
            cluster.interference_distribution(),
        ]
    });
    let tails: Vec<Option<bool>> = levels
        .map(|level| Some(level?.tail.as_ref()?.trustworthy))
        .collect();
    let (none, doubtful) = (
        tails.iter().filter(|tail| tail.is_none()).count(),
        tails.iter().filter(|tail| **tail == Some(false)).count(),
    );
    if none + doubtful > 0 {
        text += &format!(
            "; of {} fits, {none} were not possible (gpusched used the longest times instead), and {doubtful} failed their tests",
            tails.len()
        );
    }
    text + "\n"
}
