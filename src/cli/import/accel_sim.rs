//! `gpusched import accel-sim`: what the traces of a run hold.

mod report;

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::accelsim::{Copies, Input, KernelSummary, TraceFile, TraceSummary};
use crate::cli::output::{Output, Palette};
use crate::cli::question::json_line;
use crate::cli::{Format, Global, Outcome, complain};
use crate::error::{Error, Result};

/// Reads traces of machine code (SASS) made by the tracer of Accel-Sim, and says what they hold.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// `kernelslist.g`, or the `.traceg` of one kernel; `-` reads standard input.
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// Only the kernel with this number.
    #[arg(long, value_name = "N")]
    kernel: Option<u64>,
}

const EXAMPLE: &str = "\
Traces are processed ones (.traceg), of version 3 or later, not compressed; as CSV, a row per kernel.

Example:
  gpusched import accel-sim tasksets/traces/accelsim/kernelslist.g";

impl Args {
    /// Reads the traces.
    ///
    /// # Errors
    /// Bad input, or output that cannot be written.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        let (copies, traces) = match Input::open(&self.trace)? {
            Input::Kernel(trace) => (Copies::default(), vec![trace]),
            Input::List(list) => {
                let traces = list.kernels().map(TraceFile::open).collect::<Result<_>>()?;
                (Copies::of(list.commands()), traces)
            }
        };
        let traces = self.chosen(traces)?;
        let read = |trace| KernelSummary::read(trace);
        let kernels: Vec<Result<KernelSummary>> = global
            .pool()?
            .install(|| traces.into_par_iter().map(read).collect());
        let kernels = kernels.into_iter().collect::<Result<_>>()?;
        let summary = TraceSummary { copies, kernels };
        let answer = match global.format() {
            Format::Json => json_line(&summary)?,
            Format::Csv => report::csv(&summary)?,
            Format::Text => report::text(&summary, &Palette::of(global)),
        };
        let mut output = Output::open(global)?;
        output.write(answer)?;
        output.finish()?;
        if !global.quiet {
            report::warnings(&summary).iter().for_each(|line| complain(line));
        }
        Ok(Outcome::Positive)
    }

    /// All, or the one that `--kernel` names.
    fn chosen(&self, traces: Vec<TraceFile>) -> Result<Vec<TraceFile>> {
        let Some(number) = self.kernel else {
            return Ok(traces);
        };
        let known: Vec<String> = traces
            .iter()
            .take(20)
            .map(|trace| trace.header().id.to_string())
            .collect();
        let chosen: Vec<TraceFile> = { traces }
            .into_iter()
            .filter(|trace| trace.header().id == number)
            .collect();
        match chosen.is_empty() {
            false => Ok(chosen),
            true => Err(Error::Usage(format!(
                "--kernel: found {number}, expected a number of a kernel in {}: {}",
                Path::display(&self.trace),
                known.join(", ")
            ))),
        }
    }
}
