//! Block times from a profile or from a measured trace.

use std::path::{Path, PathBuf};

use crate::arguments::named;
use crate::wcet::distinct;
use gpusched_analysis::kernel_wcet::trace::{Level, MAX_SAMPLES, Recorder};
use gpusched_model::Kernel;
use gpusched_model::error::{Error, Result};
use gpusched_recording::block_trace::{Format as TraceFormat, Input};
use gpusched_sim::regulation::{BlockTimes, Recorded, Replay};

/// Options for the execution times of blocks in a simulation.
#[derive(Debug, clap::Args)]
pub struct Times {
    /// Execution times of the blocks in the simulation
    ///
    /// `mean` and `drawn` require the distributions of a profile. `trace` requires --trace.
    #[arg(long, value_parser = named::<BlockTimes>(), default_value_t)]
    pub blocks: BlockTimes,
    /// File with measured block times, as for `wcet cluster`; may be repeated
    ///
    /// The file must have a column `q`. The simulation replays the recorded runs one after the
    /// other. After the last run, the simulation starts again with the first run.
    #[arg(long, value_name = "FILE")]
    trace: Vec<PathBuf>,
    /// Format of the --trace files [default: from file ending and content]
    #[arg(long, value_parser = named::<TraceFormat>(), value_name = "FORMAT", requires = "trace")]
    trace_format: Option<TraceFormat>,
}

impl Times {
    /// Returns the trace for `runs` runs of `kernel`; `None` without `--trace`. `file` is the path of the file that
    /// contains `kernel`.
    ///
    /// # Errors
    /// Fails for a file that is not a trace of `kernel`. Also fails if only one of `--trace` and `--blocks trace` is
    /// given.
    pub fn replay(&self, file: &Path, kernel: &Kernel, runs: u64) -> Result<Option<Replay>> {
        match (self.blocks, self.trace.as_slice()) {
            (BlockTimes::Trace, []) => {
                let found = "trace without --trace";
                return Err(Error::parameter(
                    "blocks",
                    found,
                    "--trace FILE with measured times",
                ));
            }
            (BlockTimes::Trace, _) => {}
            (_, []) => return Ok(None),
            (other, _) => {
                return Err(Error::parameter(
                    "trace",
                    format!("--blocks {other}"),
                    "--blocks trace",
                ));
            }
        }
        distinct([file].into_iter().chain(self.trace.iter().map(PathBuf::as_path)))?;
        let needed = usize::try_from(runs).unwrap_or(MAX_SAMPLES);
        let mut recorder = Recorder::first(needed);
        for path in &self.trace {
            self.read(path, &mut recorder)?;
        }
        Replay::new(kernel, recorder.finish()?).map(Some)
    }

    fn read(&self, path: &Path, recorder: &mut Recorder) -> Result<()> {
        let input = Input {
            format: self.trace_format,
            ..Input::default()
        };
        input.read(path, recorder, &mut |_| ())
    }
}

/// Returns the number of recorded runs of `replay`.
pub fn recorded(replay: &Replay) -> Recorded {
    Recorded {
        isolated: replay.runs(Level::Isolated),
        interference: replay.runs(Level::Interference),
    }
}
