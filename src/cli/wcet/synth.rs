//! `gpusched wcet synth`: block traces drawn from the profile of a kernel.

use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

use crate::cli::output::Output;
use crate::cli::values::whole;
use crate::cli::{Format, Global, Outcome};
use crate::error::{Error, Result};
use crate::kernel_wcet::synthesis::{Synthesizer, alternate};
use crate::kernel_wcet::trace::{Level, Row};
use crate::model::Kernel;
use crate::model::reader::Kernels;

/// Draws measured times of thread blocks from the profile of a kernel.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// A profile with distributions (JSON); `-` reads standard input.
    #[arg(value_name = "KERNEL")]
    kernel: PathBuf,
    /// The number of runs without interference, and of those with it.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = whole::<u64>(1..))]
    runs: u64,
    /// Divide the blocks of the clusters among that many intervals, in turn [default: those of the profile, else one each].
    #[arg(long, value_name = "K", value_parser = whole::<usize>(0..))]
    intervals: Option<usize>,
}

const EXAMPLE: &str = "\
CSV with the columns run, block, start_ns, duration_ns, q, or with --format json (or -o NAME.jsonl) one object per row. \
Equal arguments and --seed give equal traces, on every machine; of more runs the first ones stay the same.

Example:
  gpusched wcet synth tasksets/traces/two-paths.json --runs 40 -o trace.csv";

/// Rows that are drawn before they are written, about, so that memory stays bounded.
const BATCH_ROWS: u64 = 1 << 20;

impl Args {
    /// Writes the trace.
    ///
    /// # Errors
    /// A profile from which nothing can be drawn, or output that cannot be written.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        let write = match (global.format, global.format()) {
            (Some(Format::Text), _) => {
                return Err(Error::parameter(
                    "format",
                    "text",
                    "csv or json: traces are CSV or JSONL",
                ));
            }
            (_, Format::Json) => write_json,
            _ => write_csv,
        };
        let kernel = self.kernel()?;
        let synthesizer = Synthesizer::new(&kernel, global.seed())?;
        let mut output = Output::open(global)?;
        if global.format() != Format::Json {
            output.write("run,block,start_ns,duration_ns,q\n")?;
        }
        let pool = global.pool()?;
        let progress = self.progress(global);
        let batch = (BATCH_ROWS / (2 * kernel.blocks().max(1))).max(1);
        let mut drawn = 0;
        while drawn < self.runs {
            let end = self.runs.min(drawn.saturating_add(batch));
            let runs: Vec<u64> = (drawn..end).collect();
            let chunks: Vec<String> = pool.install(|| {
                let executions = runs
                    .par_iter()
                    .flat_map_iter(|&run| Level::ALL.map(|level| (level, run)));
                let drawn = executions.map(|(level, run)| {
                    let rows = synthesizer.draw(level, run);
                    let mut text = String::with_capacity(rows.len() * 24);
                    rows.iter().for_each(|row| write(&mut text, row));
                    text
                });
                drawn.collect()
            });
            for chunk in chunks {
                output.write(chunk)?;
            }
            progress.inc(end - drawn);
            drawn = end;
        }
        progress.finish_and_clear();
        output.finish()?;
        Ok(Outcome::Positive)
    }

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

    /// A bar on standard error, where somebody looks and no trace goes to the same terminal.
    fn progress(&self, global: &Global) -> ProgressBar {
        if global.quiet || (global.file().is_none() && io::stdout().is_terminal()) {
            return ProgressBar::hidden();
        }
        let template = "{bar:40} {pos} of {len} runs, {eta} left";
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        ProgressBar::new(self.runs).with_style(style) // draws on a terminal only
    }
}

/// The only kernel in `path`.
///
/// # Errors
/// Bad input, none, or more than one.
pub fn one_kernel(path: &Path) -> Result<Kernel> {
    Kernels::only(path, "kernel")
}

fn write_csv(text: &mut String, row: &Row) {
    push(text, row.run);
    text.push(',');
    push(text, row.block);
    text.push(',');
    row.start.iter().for_each(|&start| push(text, start));
    text.push(',');
    push(text, row.duration);
    text.push(',');
    push(text, row.level.q().into());
    text.push('\n');
}

fn write_json(text: &mut String, row: &Row) {
    text.push_str("{\"run\":");
    push(text, row.run);
    text.push_str(",\"block\":");
    push(text, row.block);
    if let Some(start) = row.start {
        text.push_str(",\"start_ns\":");
        push(text, start);
    }
    text.push_str(",\"duration_ns\":");
    push(text, row.duration);
    text.push_str(",\"q\":");
    push(text, row.level.q().into());
    text.push_str("}\n");
}

/// Appends `number`; in millions of rows, the machinery of `write!` is most of the work.
fn push(text: &mut String, number: u64) {
    let mut power = 10u64.pow(number.checked_ilog10().unwrap_or(0));
    while power > 0 {
        text.push(char::from(b'0' + (number / power % 10) as u8));
        power /= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_they_are() {
        for number in [0, 9, 10, 10_203, u64::MAX] {
            let mut text = String::new();
            push(&mut text, number);
            assert_eq!(text, number.to_string());
        }
    }
}
