//! `gpusched wcet fit`: a WCET function C(m) from measurements.

use std::path::PathBuf;

use super::super::{Global, Outcome, complain};
use super::points;
use crate::cli::arguments::{named, refused};
use crate::cli::report::{
    About, Column, Content, Output, OutputPath, Palette, Report, Rows, Table, json_lines,
};
use crate::error::{Error, Refusal, Result};
use crate::kernel_wcet::fit::least_squares::Line;
use crate::kernel_wcet::fit::saturation;
use crate::kernel_wcet::fit::scaling::{Curve, EnvelopeForm, Fit, fit};
use crate::model::wcet::{Affine, Form};
use crate::model::words::counted;
use crate::model::{Factor, Kind};
use crate::{plot, study};

/// Fits a WCET function of the number of SMs to measurements.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Measurements as CSV, with columns sms, time_ns (or _us, _ms, _s) and, optionally, contention: isolated or conflict.
    /// `-` is standard input.
    #[arg(value_name = "POINTS")]
    file: PathBuf,
    /// The form of the WCET function: the least a/m + b, or the monotone table, that no measurement exceeds.
    #[arg(long, value_parser = named::<EnvelopeForm>(), default_value_t)]
    form: EnvelopeForm,
    /// More SMs that improve the time by less than this share in total do not count; above 0 and below 0.25.
    #[arg(long, value_name = "SHARE", default_value = "0.05", value_parser = epsilon)]
    epsilon: Factor,
    /// Also draw the speed-up over the number of SMs.
    #[arg(long, value_name = "FILE.svg", value_parser = OutputPath::of(Content::Svg), value_hint = clap::ValueHint::FilePath)]
    svg: Option<OutputPath>,
}

const EXAMPLE: &str = "\
The function is never below a measurement, and says nothing about what was not measured. The member `wcet` of the JSON
answer is that of a task in a task set.

Examples:
  gpusched wcet fit tasksets/measurements/stencil.csv
  gpusched wcet fit tasksets/measurements/stencil.csv --form table --format json
  gpusched wcet fit tasksets/measurements/stencil.csv --svg speed-up.svg -o curve.csv";

/// The columns of the CSV.
const COLUMNS: &str = "contention,sms,measurements,longest_ns,monotone_ns,wcet_ns,least_squares_ns,speed_up";

fn epsilon(text: &str) -> Result<Factor, String> {
    let value = text.parse().ok().and_then(Factor::from_f64);
    let value = value.filter(|&value| saturation::accepts(value));
    value.ok_or_else(|| refused(text, "a number above 0 and below 0.25 with at most nine decimals"))
}

impl Args {
    /// Fits and reports.
    ///
    /// # Errors
    /// Bad measurements, measurements without an envelope of that form, or output that cannot be written.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        let mut output = Output::open(global)?;
        let svg = output.beside(self.svg.as_ref())?;
        let measured = points::read(&self.file)?;
        let file = self.file.display().to_string();
        let answer = fit(&measured, self.form, self.epsilon).map_err(|error| {
            let refusal = Refusal::told("", error).at(&file, None);
            Error::from(refusal.hint("use `--form table`"))
        })?;
        if let Some(estimated) = answer.estimate {
            complain(&format!("warning: {file}: {estimated}"));
        }
        if !global.quiet {
            for note in notes(&answer) {
                complain(&format!("note: {note}"));
            }
        }
        let fitted = About(file.as_str(), answer);
        if let Some(svg) = svg {
            output.complete(svg, figure(&fitted)?)?;
        }
        output.only(COLUMNS, &fitted)?;
        Ok(Outcome::Positive)
    }
}

/// What is not in the measurements, or should not be.
fn notes(answer: &Fit) -> Vec<String> {
    let mut notes = Vec::new();
    let smallest = answer
        .isolated
        .points
        .iter()
        .map(|point| point.sms)
        .min()
        .unwrap_or(1);
    if smallest > 1 && matches!(answer.wcet.form(), Form::Affine(_)) {
        notes.push(format!(
            "C(m) below {smallest} SMs is extrapolated: nothing was measured there (--form table stops at {smallest})"
        ));
    }
    match &answer.conflict {
        None => notes.push(
            "nothing was measured in conflict: the kernel is taken to be as fast beside another of its kind as alone".to_owned(),
        ),
        Some(conflict) => {
            let faster = conflict.points.iter().filter(|point| {
                let mut alone = answer.isolated.points.iter();
                alone.any(|other| other.sms == point.sms && other.longest_ns > point.longest_ns)
            });
            let faster: Vec<String> = faster.map(|point| point.sms.to_string()).collect();
            if !faster.is_empty() {
                notes.push(format!(
                    "on {} the kernel was faster in conflict than alone, and is taken to be as fast; are the labels right?",
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

/// The curves with their names.
fn curves(answer: &Fit) -> impl Iterator<Item = (&'static str, &Curve)> {
    let conflict = answer.conflict.iter().map(|curve| ("conflict", curve));
    std::iter::once(("isolated", &answer.isolated)).chain(conflict)
}

impl Report for About<&str, Fit> {
    fn rows(&self, rows: &mut Rows) -> Result<()> {
        let About(_, answer) = self;
        for (contention, curve) in curves(answer) {
            for point in &curve.points {
                let line = |line: Line| format!("{:.0}", line.a_ns / f64::from(point.sms) + line.b_ns);
                rows.add((
                    contention,
                    point.sms,
                    point.measurements,
                    point.longest_ns.ns(),
                    point.monotone_ns.ns(),
                    point.wcet_ns.ns(),
                    curve.least_squares.map(line),
                    format!("{:.6}", point.speed_up),
                ))?;
            }
        }
        Ok(())
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let About(file, answer) = self;
        let (saturation, largest) = (answer.saturation_sms, answer.largest_sms);
        let percent = 100.0 * answer.epsilon.as_f64();
        let mut text = format!("{}-intensive: {file}\n", kind(answer.kind));
        if let Some(estimated) = answer.estimate {
            text += &format!("{estimated}\n");
        }
        text += &match saturation == largest {
            true => format!(
                "up to {}, more of them bring at least {percent} %\n\n",
                counted(largest, "SM")
            ),
            false => format!(
                "beyond {}, more of them (up to {largest}) bring less than {percent} % in total\n\n",
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
            text += "conflict: not measured, taken to be as isolated\n";
        }
        text.push('\n');
        let mut table = Table::new([
            Column::Left("contention"),
            Column::Right("SMs"),
            Column::Right("runs"),
            Column::Right("longest"),
            Column::Right("C(m)"),
            Column::Right("above"),
            Column::Right("speed-up"),
        ]);
        for (name, curve) in curves(answer) {
            for point in &curve.points {
                let above = point.wcet_ns.ns() as f64 / point.longest_ns.ns() as f64 - 1.0;
                table.row([
                    name.to_owned(),
                    point.sms.to_string(),
                    point.measurements.to_string(),
                    point.longest_ns.to_string(),
                    point.wcet_ns.to_string(),
                    format!("{:.1} %", 100.0 * above),
                    format!("{:.2}", point.speed_up),
                ]);
            }
        }
        text += &table.render(palette.header);
        let wcet = json_lines([&answer.wcet])?;
        Ok(text + &format!("\n\"kind\": \"{}\", \"wcet\": {wcet}", kind(answer.kind)))
    }
}

fn figure(fitted: &About<&str, Fit>) -> Result<String> {
    let About(file, _) = fitted;
    let csv = format!("{COLUMNS}\n{}", fitted.csv()?);
    let table = study::Table::from_reader(file, csv.as_bytes())?;
    let options = plot::Options {
        x: "sms".to_owned(),
        y: "speed_up".to_owned(),
        series: "contention".to_owned(),
        title: Some((*file).to_owned()),
        ..plot::Options::default()
    };
    plot::line_chart(&[table], &options)
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Compute => "compute",
        Kind::Memory => "memory",
    }
}

/// The WCET function in words.
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
