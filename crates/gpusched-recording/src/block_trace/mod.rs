//! Files with measured times of thread blocks ([Aghilinasab20] §IV-A, §VI-A), read in one pass.
//!
//! Whatever is not a trace is refused with file and line. [`Recorder`] says what a trace is.

mod columns;
mod delimited;
mod examiner;
mod format;
mod json_lines;
mod source;

pub use crate::examiner::MAX_BYTES as MAX_EXAMINER_BYTES;
pub use format::Format;

use std::path::Path;

use gpusched_analysis::kernel_wcet::trace::{Level, Recorder};
use gpusched_model::error::Result;
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
    /// [`Error::Refused`](gpusched_model::error::Error::Refused) with file and line for whatever is no trace;
    /// [`Error::Io`](gpusched_model::error::Error::Io).
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
