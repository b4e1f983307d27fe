//! A CSV table that is written during a simulation.

use std::fmt::{self, Write as _};

use crate::cli::report::Output;
use crate::error::{Error, Result};

/// Size of the text that is written at a time [bytes].
const CHUNK: usize = 1 << 16;

/// CSV table that grows during a simulation.
pub struct Growing<'a> {
    output: &'a mut Output,
    text: String,
    /// First error of writing. After this error, no further rows are written.
    failure: Option<Error>,
}

impl<'a> Growing<'a> {
    /// Creates an empty table. The comma-separated `columns` precede the first rows as a header; `None` if the header was already
    /// written.
    pub fn new(output: &'a mut Output, columns: Option<&str>) -> Growing<'a> {
        Growing {
            output,
            text: columns.map_or(String::new(), |columns| format!("{columns}\n")),
            failure: None,
        }
    }

    /// Adds a row.
    pub fn row(&mut self, row: fmt::Arguments<'_>) {
        // Writing to a string never fails.
        let _ = writeln!(self.text, "{row}");
        if self.text.len() >= CHUNK {
            self.flush();
        }
    }

    /// Whether the simulation can stop, because writing failed or the output was closed.
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

    /// Writes the remaining rows.
    ///
    /// # Errors
    /// Returns the first error of writing.
    pub fn finish(mut self) -> Result<()> {
        self.flush();
        self.failure.map_or(Ok(()), Err)
    }
}
