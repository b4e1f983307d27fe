//! Block traces: files with measured times of thread blocks ([Aghilinasab20] §IV-A, §VI-A), read in one pass.
//!
//! A [`Receiver`] gets the records: a [`Recorder`](gpusched_analysis::kernel_wcet::trace::Recorder) measures the blocks of one
//! kernel, and a [`Residency`] lists the SMs where blocks ran. If a file is not a valid trace, the error states the file and the line.

mod columns;
mod delimited;
mod examiner;
mod format;
mod json_lines;
mod neutrino;
mod receiver;
mod residency;
mod source;

pub use crate::examiner::MAX_BYTES as MAX_EXAMINER_BYTES;
pub use columns::{Fault, Record};
pub use format::Format;
pub use receiver::Receiver;
pub use residency::{Residency, Seen};

use std::num::NonZeroU64;
use std::path::Path;

use gpusched_analysis::kernel_wcet::trace::Level;
use gpusched_model::error::Result;
use source::Source;

/// Whether `start`, the first bytes of a file, are the start of a file of Neutrino.
pub fn is_neutrino(start: &[u8]) -> bool {
    neutrino::is_header(start)
}

/// One file of a trace, with the options for reading it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Input<'a> {
    /// Format of the file. If `None`, gpusched detects the format from the name and the content of the file.
    pub format: Option<Format>,
    /// Interference level of all rows. If `None`, column `q` contains the level of each row.
    pub level: Option<Level>,
    /// Name of the kernel whose rows the reader selects, if the file contains several kernels ([`Format::Examiner`]
    /// only).
    pub kernel: Option<&'a str>,
    /// Smallest clock frequency of the SMs during the run [Hz]. Only [`Format::Neutrino`] states times in cycles.
    pub sm_clock_hz: Option<NonZeroU64>,
}

impl Input<'_> {
    /// Reads the file at `path` and sends its records to `receiver`. The path `-` means standard input. Regularly calls
    /// `observer` with the number of bytes read so far.
    ///
    /// # Errors
    /// Returns [`Error::Refused`](gpusched_model::error::Error::Refused) with file and line if the file is not a valid
    /// trace. Returns [`Error::Io`](gpusched_model::error::Error::Io) if the file cannot be read.
    pub fn read(
        &self,
        path: impl AsRef<Path>,
        receiver: &mut dyn Receiver,
        observer: &mut dyn FnMut(u64),
    ) -> Result<()> {
        let mut source = Source::open(path.as_ref())?;
        let format = match self.format {
            Some(format) => format,
            None => Format::of(path.as_ref(), source.peek()?),
        };
        match format {
            Format::Csv => delimited::read(source, self, receiver, observer),
            Format::Jsonl => json_lines::read(source, self, receiver, observer),
            Format::Examiner => examiner::read(source, self, receiver, observer),
            Format::Neutrino => neutrino::read(source, self, receiver, observer),
        }
    }
}
