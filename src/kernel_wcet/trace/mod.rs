//! Measured times of thread blocks ([Aghilinasab20] §IV-A, §VI-A).
//!
//! A trace is a table with one row per execution of one thread block: run, block, start, duration, and whether best-effort
//! cores interfered (q = 1) or not (q = 0). A **run** is one execution of the whole kernel at one level of q. Its rows are
//! contiguous, each of its blocks occurs once, and all runs have the same blocks 0 … N − 1; whatever is not so is refused
//! with file and line.
//!
//! Traces are read in one pass. A [`Recorder`] holds the run at hand, and for each block and level the number of
//! measurements, their maximum, mean and variance (exact over all runs), and a uniform sample of them ([`Measurements`]).
//! Memory grows with the number of blocks and the size of the sample, not with the number of runs (but for eight bytes
//! each, to notice a run that comes twice).

mod columns;
mod delimited;
mod examiner;
mod format;
mod json_lines;
mod level;
mod measurements;
mod overlap;
mod recorder;
mod row;
mod slot;
mod source;

pub use crate::examiner::MAX_BYTES as MAX_EXAMINER_BYTES;
pub use format::Format;
pub use level::Level;
pub use measurements::{Measurements, Summary};
pub use recorder::{MAX_BLOCKS, MAX_SAMPLES, Recorder, Trace};
pub use row::Row;

use std::path::Path;

use crate::error::Result;
use source::Source;

/// One file of a trace, and what has to be known to read it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Input<'a> {
    /// The format; found out from name and content if `None`.
    pub format: Option<Format>,
    /// The level of all rows; taken from column `q` if `None`.
    pub level: Option<Level>,
    /// Which kernel, where the file has several ([`Format::Examiner`] only).
    pub kernel: Option<&'a str>,
}

impl Input<'_> {
    /// Feeds the file at `path` to `recorder`; `-` is standard input. `observer` is told now and then how many bytes have
    /// been read.
    ///
    /// # Errors
    /// [`Error::Input`](crate::error::Error::Input) with file and line for whatever is no trace;
    /// [`Error::Io`](crate::error::Error::Io).
    pub fn read(
        &self,
        path: impl AsRef<Path>,
        recorder: &mut Recorder,
        observer: &mut dyn FnMut(u64),
    ) -> Result<()> {
        let mut source = Source::open(path.as_ref())?;
        let format = match self.format {
            Some(format) => format,
            None => Format::of(path.as_ref(), source.peek()?),
        };
        match format {
            Format::Csv => delimited::read(source, self, recorder, observer),
            Format::Jsonl => json_lines::read(source, self, recorder, observer),
            Format::Examiner => examiner::read(source, self, recorder, observer),
        }
    }
}
