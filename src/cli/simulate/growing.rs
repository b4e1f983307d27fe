//! A table in CSV that is written while a simulation goes on.

use std::fmt::{self, Write as _};

use crate::cli::report::Output;
use crate::error::{Error, Result};

/// Text that is written at a time [bytes].
const CHUNK: usize = 1 << 16;

/// A table that grows.
pub struct Growing<'a> {
    output: &'a mut Output,
    text: String,
    /// Why writing failed; then nothing more is written.
    failure: Option<Error>,
}

impl<'a> Growing<'a> {
    /// No rows so far. The header, of the `columns` separated by commas, appears with the first rows; `None` if it has appeared.
    pub fn new(output: &'a mut Output, columns: Option<&str>) -> Growing<'a> {
        Growing {
            output,
            text: columns.map_or(String::new(), |columns| format!("{columns}\n")),
            failure: None,
        }
    }

    /// Adds a row.
    pub fn row(&mut self, row: fmt::Arguments<'_>) {
        // A string takes everything.
        let _ = writeln!(self.text, "{row}");
        if self.text.len() >= CHUNK {
            self.flush();
        }
    }

    /// Whether there is no use in going on: writing failed, or nobody reads.
    pub fn is_futile(&self) -> bool {
        self.has_failed() || !self.output.has_reader()
    }

    /// Whether writing failed.
    pub fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    fn flush(&mut self) {
        if self.failure.is_none() {
            self.failure = self.output.write(&self.text).err();
        }
        self.text.clear();
    }

    /// There are no more rows. What else is written comes after them.
    ///
    /// # Errors
    /// The first failure to write.
    pub fn finish(mut self) -> Result<()> {
        self.flush();
        self.failure.map_or(Ok(()), Err)
    }
}
