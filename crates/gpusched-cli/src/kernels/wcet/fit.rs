//! `gpusched wcet fit`: fits a WCET function C(m) to measurements.

use std::path::PathBuf;

use super::points::{self, Stated};
use crate::arguments::{named, refused};
use crate::report::{About, Cell, Content, Output, OutputPath, Palette, Report, Table, json_lines};
use crate::{Global, Outcome, Run, complain};
use gpusched_analysis::kernel_wcet::fit::classification::Reason;
use gpusched_analysis::kernel_wcet::fit::least_squares::Line;
use gpusched_analysis::kernel_wcet::fit::saturation;
use gpusched_analysis::kernel_wcet::fit::scaling::{Curve, EnvelopeForm, Fit, fit};
use gpusched_model::counted;
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::time::Time;
use gpusched_model::wcet::{Affine, Form};
use gpusched_model::{Factor, TaskSet};
use gpusched_study::{self as study, plot};

/// Arguments of `gpusched wcet fit`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Measurements (CSV); `-` is standard input
    ///
    /// The columns are `sms`, one of `time_ns`, `time_us`, `time_ms` and `time_s`, and optionally `contention` with the values
    /// `isolated` and `conflict`. The column `kernel` is the name of the kernel. The columns `gpu`,
    /// `gpu_sms` and `tool` state where the times were measured. The columns
    /// `gpu_ns`, `cache`, `beside`, `other` and `sample` describe single jobs. C(m) is at least the time of each job, with warm and with cold
    /// caches. The column `times` states what the times include: `gpu` or `occupancy`.
    #[arg(value_name = "POINTS")]
    file: PathBuf,
    /// Form of the WCET function [default: envelope; table with --period]
    ///
    /// `envelope` is the smallest function a/m + b that no measurement exceeds. `table` is the
    /// monotone table of the measurements, without extrapolation.
    #[arg(long, value_parser = named::<EnvelopeForm>())]
    form: Option<EnvelopeForm>,
    /// Smallest time reduction that makes more SMs useful, as a share between 0 and 0.25
    #[arg(long, value_name = "SHARE", default_value = "0.05", value_parser = epsilon)]
    epsilon: Factor,
    /// Print a task set that contains one task with this period
    ///
    /// The task contains the WCET function and its source, and the name in the column `kernel`. It also contains `kind`, `traffic`, `block` and
    /// `measured_on` if the measurements show them. Without `kind`, `traffic` and `block`, the analysis makes safe
    /// assumptions.
    #[arg(long, value_name = "TIME", value_parser = period)]
    period: Option<Time>,
    /// Also draw the speed-up over the number of SMs, to an SVG file
    #[arg(long, value_name = "FILE.svg", value_parser = OutputPath::of(Content::Svg), value_hint = clap::ValueHint::FilePath)]
    svg: Option<OutputPath>,
}

const EXAMPLE: &str = "\
The fitted function is never below a measurement. For numbers of SMs without measurements, the function is not a bound. The JSON
result contains `wcet`, `wcet_source`, `measured_on`, `kind`, `traffic` and `block` as a task in a task set does.

A wrong kind is unsafe. Therefore the result contains `kind` only if the bandwidth on all SMs shows the kind.

Examples:
  gpusched wcet fit tasksets/measurements/stencil.csv
  gpusched wcet fit tasksets/measurements/stencil.csv --form table --format json
  gpusched wcet fit tasksets/measurements/stencil.csv --svg speed-up.svg -o curve.csv
  gpusched wcet fit tasksets/measurements/stencil.csv --period 60ms | gpusched partition - --sms 16";

fn period(text: &str) -> Result<Time, String> {
    let time = text.parse::<Time>().map_err(|error| error.to_string())?;
    match time {
        Time::ZERO => Err(refused(text, "a period above 0")),
        time => Ok(time),
    }
}

fn epsilon(text: &str) -> Result<Factor, String> {
    let value = text.parse().ok().and_then(Factor::from_f64);
    let value = value.filter(|&value| saturation::accepts(value));
    value.ok_or_else(|| refused(text, "a number above 0 and below 0.25 with at most nine decimals"))
}

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        if self.period.is_some() {
            global.only_json("json, because task sets are JSON")?;
        }
        let mut output = Output::open(global)?;
        let svg = output.beside(self.svg.as_ref())?;
        let (measured, stated) = points::read(&self.file)?;
        let Stated {
            kernel,
            times,
            only_warm,
        } = stated;
        let file = self.file.display().to_string();
        // A task set does not contain the notes on extrapolation. Therefore `--period` uses the
        // form `table`, which has no extrapolation.
        let form = self.form.unwrap_or(match self.period {
            Some(_) => EnvelopeForm::Table,
            None => EnvelopeForm::Envelope,
        });
        let answer = fit(&measured, form, self.epsilon).map_err(|error| {
            let refusal = Refusal::told("", error).at(&file, None);
            Error::from(refusal.hint("use `--form table`"))
        })?;
        if let Some(estimated) = answer.estimate {
            complain(&format!("warning: {file}: {estimated}"));
        }
        let left_out = self.period.and_then(|_| left_out(&answer));
        let meaning = times.filter(|_| self.period.is_none()).map(|times| {
            format!("state `\"times\": \"{times}\"` in the task set, because the column `times` states it")
        });
        let warm = (!only_warm.is_empty()).then(|| {
            format!(
                "all isolated times on {} are with warm caches; if other work can run between two jobs, C(m) is too short, so also measure \
                 with cold caches (`measure kernel --cold`)",
                sizes(&only_warm)
            )
        });
        let notes = notes(&answer)
            .into_iter()
            .chain(left_out)
            .chain(meaning)
            .chain(warm);
        notes.for_each(|note| global.note(note));
        let fitted = About(file.as_str(), answer);
        let tasks = { self.period }
            .map(|period| tasks(&fitted.1, kernel, period))
            .transpose()?;
        let tasks = tasks.map(|tasks| tasks.with_times(times));
        if let Some(svg) = svg {
            output.complete(svg, figure(&fitted)?)?;
        }
        match tasks {
            Some(tasks) => output.json(&tasks)?,
            None => output.last(&fitted)?,
        }
        Ok(Outcome::Positive)
    }
}

/// Returns numbers of SMs for a sentence.
fn sizes(sms: &[u32]) -> String {
    let list: Vec<String> = sms.iter().take(8).map(u32::to_string).collect();
    let more = if sms.len() > 8 { ", …" } else { "" };
    format!("{}{more} SMs", list.join(", "))
}

/// Returns a task set that contains only the task of `answer`, with the name of its kernel.
fn tasks(answer: &Fit, kernel: Option<String>, period: Time) -> Result<TaskSet> {
    let bad = |error: &dyn std::fmt::Display| Error::parameter("period", period, error.to_string());
    let task = answer.task(kernel, period).map_err(|error| bad(&error))?;
    TaskSet::new(None, vec![task]).map_err(|error| bad(&error))
}

/// If the result has no `kind`, returns a note with the reason. Otherwise, returns `None`.
fn left_out(answer: &Fit) -> Option<String> {
    let drawn = || drawn(answer.utilization.unwrap_or_default());
    let why = match answer.kind_reason {
        Reason::Bandwidth => return None,
        Reason::Hybrid => format!(
            "{}, a value between compute-intensive and memory-intensive kernels",
            drawn()
        ),
        Reason::Saturates => format!(
            "{}, but beyond some number of SMs, more SMs hardly reduce the time",
            drawn()
        ),
        Reason::FewSms => format!("{}, and its times do not show whether more SMs help", drawn()),
        Reason::NotOnAllSms => "its bandwidth on all SMs of the GPU was not measured".to_owned(),
        Reason::UnknownGpu => "the columns gpu_sms and gpu_bytes_per_second are missing".to_owned(),
        Reason::NoBandwidth => {
            "without bandwidths, the times do not show which resource the kernel uses".to_owned()
        }
        Reason::Estimated => "its bandwidth is an estimate".to_owned(),
    };
    Some(format!(
        "the result has no `kind`: {why}. With `--interference conflict…`, the task conflicts with all tasks of its partition; \
         the other models ignore `kind`"
    ))
}

/// Returns a text about the used share of the memory bandwidth.
fn drawn(utilization: f64) -> String {
    format!(
        "the kernel uses {:.1} % of the memory bandwidth on all SMs",
        100.0 * utilization
    )
}

/// Returns notes on extrapolation and on missing or suspicious measurements.
fn notes(answer: &Fit) -> Vec<String> {
    let mut notes = Vec::new();
    for (contention, curve) in curves(answer) {
        if !matches!(answer.wcet.form(), Form::Affine(_)) {
            continue;
        }
        let which = match contention {
            "conflict" => " in conflict",
            _ => "",
        };
        let measured = || curve.points.iter().map(|point| point.sms);
        let smallest = measured().min().unwrap_or(1);
        if smallest > 1 {
            notes.push(format!(
                "C(m){which} below {smallest} SMs is extrapolated without measurements (--form table stops at {smallest})"
            ));
        }
        if let Some(largest) = measured().max() {
            let sms = counted(largest, "SM");
            notes.push(format!(
                "C(m){which} above {sms} is extrapolated without measurements (--form table keeps the time on {sms})"
            ));
        }
    }
    match &answer.conflict {
        None => notes.push(
            "the input has no measurements in conflict, so the WCET in conflict is the isolated WCET"
                .to_owned(),
        ),
        Some(conflict) => {
            let faster = conflict.points.iter().filter(|point| {
                let mut alone = answer.isolated.points.iter();
                alone.any(|other| other.sms == point.sms && other.longest_ns > point.longest_ns)
            });
            let faster: Vec<String> = faster.map(|point| point.sms.to_string()).collect();
            if !faster.is_empty() {
                notes.push(format!(
                    "on {} the kernel was faster in conflict than in isolation, so gpusched uses the \
                     isolated time for both; check the column `contention`",
                    match faster.as_slice() {
                        [one] if one == "1" => "1 SM".to_owned(),
                        many => format!("{} SMs", many.join(", ")),
                    }
                ));
            }
        }
    }
    notes
}

/// Returns the curves of `answer`, each with its kind of contention.
fn curves(answer: &Fit) -> impl Iterator<Item = (&'static str, &Curve)> {
    let conflict = answer.conflict.iter().map(|curve| ("conflict", curve));
    std::iter::once(("isolated", &answer.isolated)).chain(conflict)
}

impl Report for About<&str, Fit> {
    fn table(&self) -> Table {
        let About(_, answer) = self;
        let points = curves(answer).flat_map(|(name, curve)| {
            let points = curve.points.iter();
            points.map(move |point| (name, point, curve.least_squares))
        });
        let table = Table::of(points)
            .text(("contention", "contention"), |(name, ..)| *name)
            .number(("SMs", "sms"), |(_, point, _)| point.sms)
            .number(("runs", "measurements"), |(_, point, _)| point.measurements)
            .time(("longest", "longest_ns"), |(_, point, _)| point.longest_ns)
            .exact("monotone_ns", |(_, point, _)| point.monotone_ns)
            .time(("C(m)", "wcet_ns"), |(_, point, _)| point.wcet_ns)
            .exact("least_squares_ns", |(_, point, line)| {
                line.map(|line| format!("{:.0}", line.a_ns / f64::from(point.sms) + line.b_ns))
            })
            .number("above", |(_, point, _)| {
                let above = point.wcet_ns.ns() as f64 / point.longest_ns.ns() as f64 - 1.0;
                format!("{:.1} %", 100.0 * above)
            })
            .number(("speed-up", "speed_up"), |(_, point, _)| {
                Cell::valued(format!("{:.2}", point.speed_up), format!("{:.6}", point.speed_up))
            });
        table.done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let About(file, answer) = self;
        let (saturation, largest) = (answer.saturation_sms, answer.largest_sms);
        let percent = 100.0 * answer.epsilon.as_f64();
        let mut text = match answer.kind {
            Some(kind) => format!("{kind}-intensive: {file}\n"),
            None => format!("unknown kind: {file}\n"),
        };
        if let Some(estimated) = answer.estimate {
            text += &format!("{estimated}\n");
        }
        let why = left_out(answer).unwrap_or_else(|| drawn(answer.utilization.unwrap_or_default()));
        text += &format!("{why}\n");
        text += &match saturation == largest {
            true => format!(
                "up to {}, additional SMs reduce the time by at least {percent} %\n\n",
                counted(largest, "SM")
            ),
            false => format!(
                "beyond {}, additional SMs (up to {largest}) together reduce the time by less than \
                 {percent} %\n\n",
                counted(saturation, "SM")
            ),
        };
        for (name, curve) in curves(answer) {
            text += &format!("{name}: {}", function(answer, name));
            if let Some(Line { a_ns, b_ns, r2 }) = curve.least_squares {
                let (a, b) = (a_ns / 1e6, b_ns / 1e6);
                text += &format!("; least squares {a:.3} ms/m + {b:.3} ms, R2 = {r2:.4}");
            }
            text.push('\n');
        }
        if answer.conflict.is_none() {
            text += "conflict: not measured, so gpusched uses the isolated times\n";
        }
        text.push('\n');
        text += &self.table().render(palette.header);
        let kind = answer.kind.map(|kind| format!("\"kind\": \"{kind}\", "));
        let traffic = answer
            .traffic
            .map(|traffic| format!("\"traffic\": {}, ", traffic.bytes()));
        let sectors = answer.sectors.map(|sectors| json_lines([sectors])).transpose()?;
        let sectors = sectors.map(|sectors| format!("\"sectors\": {}, ", sectors.trim_end()));
        let block = answer.block.map(|block| format!("\"block\": {}, ", block.ns()));
        let measured = { answer.measured_on.as_ref() }
            .map(|on| json_lines([on]))
            .transpose()?;
        let measured = measured.map(|on| format!("\"measured_on\": {}, ", on.trim_end()));
        let source = format!("\"wcet_source\": \"{}\", ", answer.wcet_source);
        let known: String = kind
            .into_iter()
            .chain(traffic)
            .chain(sectors)
            .chain(block)
            .chain([source])
            .chain(measured)
            .collect();
        let wcet = json_lines([&answer.wcet])?;
        Ok(text + &format!("\n{known}\"wcet\": {wcet}"))
    }
}

fn figure(fitted: &About<&str, Fit>) -> Result<String> {
    let About(file, _) = fitted;
    let table = fitted.table();
    let csv = table.csv_header() + &table.csv_rows()?;
    let table = study::Table::from_reader(file, csv.as_bytes())?;
    let options = plot::Options {
        x: Some("sms".to_owned()),
        y: Some("speed_up".to_owned()),
        series: Some(plot::Names::one("contention")),
        title: Some((*file).to_owned()),
        ..plot::Options::default()
    };
    plot::svg(&[table], &options)
}

/// Returns the WCET function for `contention` as text.
fn function(answer: &Fit, contention: &str) -> String {
    let words = |line: &Affine| format!("C(m) = {}/m + {}", line.a, line.b);
    match answer.wcet.form() {
        Form::Affine(pair) if contention == "conflict" => {
            words(pair.conflict.as_ref().unwrap_or(&pair.isolated))
        }
        Form::Affine(pair) => words(&pair.isolated),
        _ => "C(m) by table".to_owned(),
    }
}
