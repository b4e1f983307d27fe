//! `gpusched import accel-sim`: summarizes the traces of kernels.

mod report;

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use gpusched_cli::part::Output;
use gpusched_cli::part::Run;
use gpusched_cli::part::complain;
use gpusched_cli::part::whole;
use gpusched_cli::{Global, Outcome};
use gpusched_gpu::import::accelsim::{Copies, Input, KernelSummary, TraceFile, TraceSummary};
use gpusched_model::error::{Error, Result};

/// Arguments of `gpusched import accel-sim`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// File `kernelslist.g`, or `.traceg` file of one kernel; `-` is standard input
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// Select the kernel with this number [default: all kernels]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(0..))]
    kernel: Option<u64>,
}

const EXAMPLE: &str = "\
Traces must be post-processed (.traceg) and uncompressed, and have version 3 or later. The CSV result has one row per kernel.

Example:
  gpusched import accel-sim tasksets/traces/accelsim/kernelslist.g";

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        let mut output = Output::open(global)?;
        let (copies, kernels) = match Input::open(&self.trace)? {
            Input::Kernel(trace) => {
                self.check(&[trace.header().id])?;
                (Copies::default(), vec![KernelSummary::read(*trace)?])
            }
            Input::List(list) => {
                output.keep(list.kernels())?;
                let chosen = self.chosen(list.kernels())?;
                let read = |path: &&Path| KernelSummary::read(TraceFile::open(path)?);
                let read = || chosen.par_iter().map(read).collect::<Vec<_>>();
                let kernels = global.pool()?.install(read).into_iter().collect::<Result<_>>()?;
                (Copies::of(list.commands()), kernels)
            }
        };
        let summary = TraceSummary { copies, kernels };
        output.last(&report::Summarized(&summary))?;
        if !global.quiet {
            report::warnings(&summary).iter().for_each(|line| complain(line));
        }
        Ok(Outcome::Positive)
    }
}

impl Args {
    /// Returns the files of all kernels. With `--kernel`, returns only the files of kernels with
    /// this number.
    fn chosen<'a>(&self, files: impl Iterator<Item = &'a Path>) -> Result<Vec<&'a Path>> {
        let files: Vec<&Path> = files.collect();
        let Some(number) = self.kernel else {
            return Ok(files);
        };
        // Open only one file at a time, because the number of files may exceed the limit of open
        // files.
        let id = |path: &&Path| TraceFile::open(path).map(|trace| trace.header().id);
        let ids = files.iter().map(id).collect::<Result<Vec<u64>>>()?;
        self.check(&ids)?;
        let chosen = files.into_iter().zip(ids).filter(|(_, id)| *id == number);
        Ok(chosen.map(|(path, _)| path).collect())
    }

    /// Checks that `ids` contains the number that `--kernel` states. `ids` are the numbers of all kernels.
    fn check(&self, ids: &[u64]) -> Result<()> {
        match self.kernel {
            Some(number) if !ids.contains(&number) => {
                let known: Vec<String> = ids.iter().take(20).map(u64::to_string).collect();
                Err(Error::parameter(
                    "kernel",
                    number,
                    format!(
                        "the number of a kernel in {}: {}",
                        self.trace.display(),
                        known.join(", ")
                    ),
                ))
            }
            _ => Ok(()),
        }
    }
}
