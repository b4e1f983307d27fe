//! `gpusched wcet synth`: generates block traces from the profile of a kernel.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::Serialize;

use crate::arguments::whole;
use crate::report::{Output, Rows, json_lines};
use crate::{Format, Global, Outcome, Run};
use gpusched_analysis::kernel_wcet::synthesis::{Synthesizer, alternate};
use gpusched_analysis::kernel_wcet::trace::{Level, Row};
use gpusched_model::Kernel;
use gpusched_model::counted;
use gpusched_model::error::{Error, Result};
use gpusched_model::reader::Kernels;

/// Arguments of `gpusched wcet synth`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Profile with distributions (JSON); `-` is standard input
    #[arg(value_name = "KERNEL")]
    kernel: PathBuf,
    /// Number of runs at each level: in isolation and under interference
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = whole::<u64>(1..))]
    runs: u64,
    /// Number of intervals [default: as in the profile, or one per cluster]
    ///
    /// The generated kernel consists of K intervals of blocks. gpusched assigns the intervals to the clusters in turn.
    #[arg(long, value_name = "K", value_parser = whole::<usize>(0..))]
    intervals: Option<usize>,
}

const EXAMPLE: &str = "\
The output is CSV with the columns run, block, start_ns, duration_ns and q. With --format json (or -o NAME.jsonl), the output is
one JSON object per row. The same arguments and --seed generate the same traces on every machine. A larger --runs does not change
the first runs.

Example:
  gpusched wcet synth tasksets/traces/two-paths.json --runs 40 -o trace.csv";

/// Maximum number of rows of a trace. A CSV file with this number of rows has about 20 GB.
const MOST_ROWS: u64 = 1_000_000_000;

/// Approximate number of rows that gpusched generates before it writes them. The number bounds
/// memory use.
const BATCH_ROWS: u64 = 1 << 20;

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        if global.format == Some(Format::Text) {
            return Err(Error::parameter(
                "format",
                "text",
                "csv or json, because traces are CSV or JSONL",
            ));
        }
        let write = match global.format() {
            Format::Json => json,
            Format::Csv | Format::Text => csv,
        };
        let kernel = self.kernel()?;
        let most = MOST_ROWS / (2 * kernel.blocks()).max(1);
        if self.runs > most {
            let blocks = counted(kernel.blocks(), "thread block");
            let expected = format!(
                "at most {most} runs for a kernel of {blocks}, because a trace has at most {MOST_ROWS} rows"
            );
            return Err(Error::parameter("runs", self.runs, expected));
        }
        let synthesizer = Synthesizer::new(&kernel, global.seed())?;
        let mut output = Output::open(global)?;
        if global.format() != Format::Json {
            output.write("run,block,start_ns,duration_ns,q\n")?;
        }
        let batch = (BATCH_ROWS / (2 * kernel.blocks().max(1))).max(1);
        output.generate(global, (self.runs, "runs"), batch, |runs| {
            let executions = runs
                .into_par_iter()
                .flat_map_iter(|run| Level::ALL.map(|level| (level, run)));
            executions
                .map(|(level, run)| write(&synthesizer.draw(level, run)))
                .collect()
        })?;
        Ok(Outcome::Positive)
    }
}

impl Args {
    fn kernel(&self) -> Result<Kernel> {
        let kernel = one_kernel(&self.kernel)?;
        match self.intervals {
            None => Ok(kernel),
            Some(count) => {
                let intervals = alternate(kernel.clusters(), count)?;
                kernel
                    .with_intervals(intervals)
                    .map_err(|refusal| refusal.of_field("intervals").into())
            }
        }
    }
}

/// Reads the single kernel in the file at `path`.
///
/// # Errors
/// Fails on bad input, or if the file does not contain exactly one kernel.
pub fn one_kernel(path: &Path) -> Result<Kernel> {
    Kernels::only(path, "kernel")
}

fn csv(rows: &[Row]) -> Result<String> {
    let mut csv = Rows::default();
    let fields = |row: &Row| (row.run, row.block, row.start, row.duration, row.level.q());
    rows.iter().try_for_each(|row| csv.add(fields(row)))?;
    csv.finish()
}

fn json(rows: &[Row]) -> Result<String> {
    #[derive(Serialize)]
    struct Line {
        run: u64,
        block: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        start_ns: Option<u64>,
        duration_ns: u64,
        q: u8,
    }
    json_lines(rows.iter().map(|row| Line {
        run: row.run,
        block: row.block,
        start_ns: row.start,
        duration_ns: row.duration,
        q: row.level.q(),
    }))
}
