//! `gpusched wcet curve`: the WCET bound G of a kernel as a function of the memory bandwidth
//! budget Q.

use std::path::PathBuf;

use serde::{Serialize, Serializer};

use super::bound::{distrust, title};
use super::traffic::{Traffic, budget};
use crate::arguments::whole;
use crate::report::{Cell, Content, Output, OutputPath, Palette, Report, Shown, Table};
use crate::{Global, Outcome, Run};
use gpusched_analysis::kernel_wcet::{CurvePoint, curve};
use gpusched_model::assumptions::{Assumption, BudgetBasis};
use gpusched_model::error::{Error, Result};
use gpusched_model::reader::Kernels;
use gpusched_model::{Factor, Kernel};
use gpusched_study as study;
use gpusched_study::plot::{self, Names, Options};

/// Arguments of `gpusched wcet curve`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// One kernel (JSON) or many (JSONL, one per line); `-` is standard input
    #[arg(value_name = "KERNEL")]
    kernels: PathBuf,
    /// Smallest budget Q
    #[arg(long, value_name = "Q", value_parser = budget, default_value = "0")]
    from: Factor,
    /// Largest budget Q
    #[arg(long, value_name = "Q", value_parser = budget, default_value = "1")]
    to: Factor,
    /// Number of steps from the smallest to the largest budget
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = whole::<u64>(1..=100_000))]
    steps: u64,
    #[command(flatten)]
    traffic: Traffic,
    /// Also draw the curves, to an SVG file
    #[arg(long, value_name = "PATH", value_parser = OutputPath::of(Content::Svg), value_hint = clap::ValueHint::FilePath)]
    svg: Option<OutputPath>,
}

const EXAMPLE: &str = "\
Example:
  gpusched wcet curve tasksets/kernels/histo-m4.json --steps 20 --svg histo.svg -o histo.csv";

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        if let Some(path) = global
            .file()
            .filter(|path| path.extension().is_some_and(|ending| ending == "svg"))
        {
            return Err(Error::file(
                path,
                "a figure",
                "CSV, JSON or text, because --svg names the file of a figure",
            ));
        }
        let budgets = self.budgets()?;
        let pool = global.pool()?;
        let mut output = Output::open(global)?;
        let svg = output.beside(self.svg.as_ref())?;
        let mut table = String::new();
        let mut kernels = Kernels::open(&self.kernels)?.enumerate().peekable();
        while let Some((index, kernel)) = kernels.next() {
            let (_, kernel) = kernel?;
            let shown = Shown::new(global, index == 0 && kernels.peek().is_none());
            distrust(&kernel);
            let estimator = self.traffic.estimator(&kernel);
            let points = pool.install(|| curve(&estimator, &budgets, self.traffic.sync))?;
            let curve = KernelCurve {
                kernel: kernel.name(),
                assumptions: shown.listed(self.assumptions(&kernel)),
                points,
                title: title(&kernel),
                shown,
            };
            if svg.is_some() {
                let rows = curve.table();
                if table.is_empty() {
                    table = rows.csv_header();
                }
                table += &rows.csv_rows()?;
            }
            output.report(&curve)?;
        }
        if let Some(file) = svg {
            output.complete(file, figure(&table)?)?;
        }
        output.finish()?;
        Ok(Outcome::Positive)
    }
}

impl Args {
    /// Returns the assumptions of the curve of `kernel`, which apply to each of its points.
    fn assumptions(&self, kernel: &Kernel) -> Vec<Assumption> {
        let basis = BudgetBasis {
            kernels: vec![(kernel, None)],
            sync: self.traffic.sync,
            straddling: self.traffic.straddling,
        };
        basis.assumptions()
    }

    /// Returns `steps` + 1 budgets from `from` to `to`, rounded down to billionths.
    fn budgets(&self) -> Result<Vec<Factor>> {
        if self.from >= self.to {
            return Err(Error::parameter(
                "to",
                self.to,
                format!("more than --from, {}", self.from),
            ));
        }
        let billionths = |factor: Factor| {
            let (numerator, denominator) = factor.ratio();
            numerator * (1_000_000_000 / denominator)
        };
        let (from, to) = (billionths(self.from), billionths(self.to));
        let budgets = (0..=self.steps)
            .filter_map(|step| Factor::from_billionths(from + (to - from) * step / self.steps));
        Ok(budgets.collect())
    }
}

/// Curve of one kernel.
#[derive(Serialize)]
struct KernelCurve<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel: Option<&'a str>,
    #[serde(serialize_with = "bounds")]
    points: Vec<CurvePoint>,
    #[serde(skip_serializing_if = "Option::is_none")]
    assumptions: Option<Vec<Assumption>>,
    #[serde(skip)]
    title: String,
    #[serde(skip)]
    shown: Shown,
}

fn bounds<S: Serializer>(points: &[CurvePoint], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(points.iter().map(|point| &point.bound))
}

impl Report for KernelCurve<'_> {
    fn table(&self) -> Table {
        let table = Table::of(&self.points)
            .exact("kernel", |_| &self.title)
            .exact("sync", |point| point.bound.sync)
            .exact("straddling", |point| point.bound.straddling.to_string())
            .number(("Q", "q"), |point| point.bound.q.to_string())
            .time(("WCET", "wcet_ns"), |point| point.bound.wcet_ns)
            .exact("wcet_ms", |point| {
                format!("{:.6}", point.bound.wcet_ns.as_secs_f64() * 1e3)
            })
            .number(("slowdown", "slowdown"), |CurvePoint { slowdown, .. }| {
                Cell::valued(format!("{:+.2} %", slowdown * 100.0), format!("{slowdown:.6}"))
            })
            .time(("memory time", "memory_time_ns"), |point| {
                point.bound.memory_time_ns
            })
            .number(("steps", "iterations"), |point| point.bound.iterations);
        table.done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let list = self.shown.text(self.assumptions.as_deref());
        Ok(format!(
            "{}\n{}{list}",
            self.title,
            self.table().render(palette.header)
        ))
    }
}

/// Draws the WCET bound G [ms] over the budget Q, with one line per kernel.
fn figure(csv: &str) -> Result<String> {
    let table = study::Table::from_reader("curve", csv.as_bytes())?;
    let options = Options {
        x: Some("q".to_owned()),
        y: Some("wcet_ms".to_owned()),
        x_title: Some("memory budget Q of best-effort cores".to_owned()),
        y_title: Some("WCET bound [ms]".to_owned()),
        series: Some(Names::one("kernel")),
        title: Some("WCET bound over the memory budget of best-effort cores".to_owned()),
        ..Options::default()
    };
    plot::svg(&[table], &options)
}
