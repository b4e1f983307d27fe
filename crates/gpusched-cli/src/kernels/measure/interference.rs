//! `gpusched measure interference`: how kernels on other SMs delay a kernel.

use std::convert::Infallible;
use std::str::FromStr;

use serde::Serialize;
use strum::VariantArray as _;

use super::conditions::{self, Conditions};
use super::kernel::{self, MOST};
use super::series::SeriesAnswer;
use super::source::{Sizes, Source};
use crate::arguments::whole;
use crate::part::Other;
use crate::report::profile_columns::ORIGIN_COLUMNS;
use crate::report::{Cell, Output, Palette, Report, Table, clip};
use crate::{Format, Global, Outcome, Run};
use gpusched_model::Times;
use gpusched_model::error::Result;
use gpusched_model::provenance::MeasuredOnShape;
use gpusched_model::time::Time;
use gpusched_runtime::measure::{Executor, Load, Measured, Neighbor, Protocol};

/// Arguments of `gpusched measure interference`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    #[command(flatten)]
    source: Source,
    /// Kernel that runs on the other SMs: a file or built-in kernels, e.g., dram-read,l2-write
    ///
    /// May be repeated. A file has the form of the measured kernel. The built-in kernels `dram-read`, `dram-write`, `l2-read` and `l2-write` load
    /// one part of the memory. The kernel runs again and again, until the measured jobs end. On a GPU, its next jobs wait in the stream while
    /// a job runs, so it pauses only if its jobs are shorter than their launch.
    #[arg(long, value_name = "KERNEL", required = true, value_hint = clap::ValueHint::FilePath)]
    beside: Vec<Beside>,
    /// Numbers of SMs of the measured kernel, e.g., 8,16,32 or 8..32:8 [default: all that the GPU grants]
    #[arg(long, value_name = "SIZES")]
    sms: Option<Sizes>,
    /// Number of jobs of each series [default: 100; 10 with --backend simulated]
    ///
    /// On a GPU, each series starts with three more jobs whose times do not count.
    #[arg(long, value_name = "N", value_parser = whole(1..=MOST))]
    samples: Option<u64>,
}

/// A file, or built-in kernels.
#[derive(Clone, Debug)]
struct Beside(Vec<Other>);

impl FromStr for Beside {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Beside, Infallible> {
        let load = |name: &str| {
            Load::VARIANTS
                .iter()
                .copied()
                .find(|load| load.to_string() == name)
        };
        let loads: Option<Vec<Load>> = text.split(',').map(load).collect();
        Ok(Beside(match loads {
            Some(loads) => loads.into_iter().map(Other::Load).collect(),
            None => vec![Other::File(text.into())],
        }))
    }
}

const EXAMPLE: &str = "\
A factor is the longest time beside the other kernel, divided by the longest time in isolation, rounded up. The factors are evidence:
other kernels may cause larger delays. `partition` does not read them. If all factors are near 1, contention of other partitions hardly
delays the kernel. Otherwise, state the memory traffic of the tasks and use `--interference conflict+bandwidth`.

Example:
  gpusched measure interference tasksets/kernels/programs/copyl.json --backend simulated --machine rtx2060 --sms 6,24 --samples 2 \
    --beside tasksets/kernels/programs/saxpyl.json --beside dram-read,l2-read";

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        let (discarded, samples) = self.source.jobs();
        let others: Vec<Other> = self.beside.iter().flat_map(|beside| beside.0.clone()).collect();
        self.source.apart(&others)?;
        let protocol = Protocol {
            sizes: self.sms.clone().unwrap_or_default().0,
            discarded,
            samples: self.samples.unwrap_or(samples),
            cold: false,
            neighbors: (0..others.len()).map(Neighbor::Beside).collect(),
        };
        let mut output = Output::open(global)?;
        output.keep(others.iter().filter_map(|other| match other {
            Other::File(path) => Some(path),
            Other::Load(_) => None,
        }))?;
        let answer = self.source.with(&others, global, |executor| {
            let all = kernel::run(executor, &protocol, global)?;
            Answer::new(&*executor, &all, self.source.date())
        })?;
        let said = global.format() == Format::Text && global.file().is_none();
        if !said {
            answer.notes.iter().for_each(|note| global.note(note));
        }
        output.measured(&answer)?;
        Ok(Outcome::Positive)
    }
}

/// Delays of a kernel by kernels on other SMs.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Interference"))]
pub struct Answer {
    /// Name of the measured kernel.
    victim: String,
    /// Whether the times include the overheads of a dispatcher.
    times: Times,
    /// GPU and tool, as a task states them.
    measured_on: MeasuredOnShape,
    /// State of the GPU during the measurement.
    conditions: Conditions,
    /// Delays, sorted by number of SMs.
    factors: Vec<FactorAnswer>,
    /// Series of jobs, sorted by number of SMs.
    series: Vec<SeriesAnswer>,
    /// Reasons to distrust the times.
    notes: Vec<String>,
}

/// Delay by one kernel.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "InterferenceFactor"))]
struct FactorAnswer {
    /// Name of the kernel on the other SMs.
    aggressor: String,
    /// Number of SMs of the measured kernel.
    sms: u32,
    /// Number of SMs of the other kernel. Some drivers grant fewer SMs than the measured kernel leaves.
    #[serde(skip_serializing_if = "Option::is_none")]
    aggressor_sms: Option<u32>,
    /// Longest time in isolation [ns].
    isolated_ns: u64,
    /// Longest time beside the other kernel [ns].
    beside_ns: u64,
    /// `beside_ns` / `isolated_ns` in thousandths, rounded up.
    factor_permille: u64,
}

impl Answer {
    fn new(executor: &dyn Executor, all: &[Measured], date: Option<&str>) -> Result<Answer> {
        let (victim, others) = executor.names();
        let series = all
            .iter()
            .map(|measured| SeriesAnswer::new(measured, &others, None));
        let series = series.collect::<Result<Vec<SeriesAnswer>>>()?;
        let isolated = |sms| { series.iter() }.find(|series| series.sms == sms && series.other.is_none());
        let factor = |beside: &SeriesAnswer| {
            let isolated_ns = isolated(beside.sms)?.longest_ns;
            let permille = (u128::from(beside.longest_ns) * 1000).div_ceil(u128::from(isolated_ns.max(1)));
            Some(FactorAnswer {
                aggressor: beside.other.clone()?,
                sms: beside.sms,
                aggressor_sms: executor.beside(beside.sms),
                isolated_ns,
                beside_ns: beside.longest_ns,
                factor_permille: u64::try_from(permille).unwrap_or(u64::MAX),
            })
        };
        let of = executor.conditions();
        let mut notes = conditions::notes(&of);
        notes.extend(kernel::doubts(&series));
        Ok(Answer {
            victim,
            times: executor.times(),
            measured_on: conditions::measured_on(&of, date),
            conditions: (&of).into(),
            factors: series.iter().filter_map(factor).collect(),
            series,
            notes,
        })
    }
}

impl Report for Answer {
    fn table(&self) -> Table {
        let [gpu, tool, ..] = ORIGIN_COLUMNS;
        let time = |ns: u64| Cell::from(Time::from_ns(ns));
        let table = Table::of(&self.factors)
            .exact("victim", |_| self.victim.clone())
            .text(("aggressor", "aggressor"), |of| {
                Cell::valued(clip(&of.aggressor, 40), &of.aggressor)
            })
            .number(("SMs", "sms"), |of| of.sms)
            .number(("other SMs", "aggressor_sms"), |of| {
                Cell::or(of.aggressor_sms, "-")
            })
            .time(("isolated", "isolated_ns"), |of| time(of.isolated_ns))
            .time(("beside", "beside_ns"), |of| time(of.beside_ns))
            .number(("factor", "factor"), |of| Cell::factor(of.factor_permille))
            .exact(gpu, |_| self.measured_on.gpu.clone())
            .exact(tool, |_| self.measured_on.tool.clone());
        table.done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let gpu = self.measured_on.gpu.as_deref().unwrap_or("an unknown GPU");
        let (victim, gpu) = (clip(&self.victim, 40), clip(gpu, 40));
        let mut text = format!("longest times of {victim} on {gpu}, in isolation and beside other kernels\n");
        text += &self.table().render(palette.header);
        for note in &self.notes {
            text += &format!("note: {note}\n");
        }
        Ok(text)
    }
}
