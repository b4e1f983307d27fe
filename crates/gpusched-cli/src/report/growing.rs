//! CSV table that a simulation writes while it runs.

use std::fmt::{self, Write as _};

use super::Output;
use gpusched_model::error::{Error, Result};

/// When the buffered text has this size [bytes], the table writes the buffer to the output.
const CHUNK: usize = 1 << 16;

/// CSV table that grows during a simulation.
pub struct Growing<'a> {
    output: &'a mut Output,
    text: String,
    /// First error of writing. After this error, the table writes no further rows.
    failure: Option<Error>,
}

impl<'a> Growing<'a> {
    /// Creates an empty table. `columns` is the comma-separated header, or `None` if the output
    /// already has a header.
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

    /// Whether further rows have no effect, because writing failed or the reader closed the output.
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
    /// Fails with the first error that occurred while output was written.
    pub fn finish(mut self) -> Result<()> {
        self.flush();
        self.failure.map_or(Ok(()), Err)
    }
}
