//! `gpusched recording recover`: writes the trace of a run that was killed.

use std::path::{Path, PathBuf};

use crate::report::Output;
use crate::{Format, Global, Outcome, Run};
use gpusched_model::counted;
use gpusched_model::error::{Error, Result};
use gpusched_model::time::Time;
use gpusched_runtime::trace;

/// Arguments of `gpusched recording recover`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// File of records: of `run --ring`, or of a program with the option `ring`
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

const EXAMPLE: &str = "\
The result is the trace of all complete records in JSON, as `run` writes it. The record that the run was writing when it was killed
is left out. A program in C, C++ or Python writes such a file if it states the option `ring`. `recording audit` states when the
trace ends. The file of records stays unchanged.

Example:
  gpusched recording recover tasksets/recordings/killed-run.ring -o trace.json";

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        if let Some(format @ (Format::Text | Format::Csv)) = global.format {
            return Err(Error::parameter(
                "format",
                format,
                "json, because the result is a trace",
            ));
        }
        let mut output = Output::open(global)?;
        output.keep([&self.file])?;
        let found = trace::ring::recover(&self.file)?;
        let program = &found.heading.program;
        let path = global.file().unwrap_or(Path::new("-"));
        let of = (program, found.heading.work.as_ref());
        let written = trace::write(&mut output, of, &found.run, &found.heading.backend);
        written.map_err(|cause| Error::io(path, "write", cause))?;
        output.finish()?;
        let jobs = found.run.totals().jobs.saturating_sub(found.replaced);
        let jobs = counted(jobs, "complete record");
        let ends = Time::from_ns(found.run.ends(program).unwrap_or(found.run.duration.ns()));
        global.note(format!("{jobs}, of all partitions until {ends}"));
        for (count, text) in [
            (found.incomplete, "incomplete, which the trace leaves out"),
            (found.lost, "lost, because the file had no place for more"),
            (found.replaced, "lost, because later records replaced them"),
        ] {
            if count > 0 {
                let verb = if count == 1 { "is" } else { "are" };
                global.note(format!("{} {verb} {text}", counted(count, "record")));
            }
        }
        Ok(Outcome::Positive)
    }
}
