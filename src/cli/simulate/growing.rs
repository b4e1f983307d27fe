//! A table in CSV that is written while a simulation goes on.

use std::fmt::{self, Write as _};

use crate::cli::output::Output;
use crate::error::{Error, Result};

/// Text that is written at a time [bytes].
const CHUNK: usize = 1 << 16;

/// A table that grows.
pub struct Growing {
    output: Output,
    text: String,
    /// Why writing failed; then nothing more is written.
    failure: Option<Error>,
}

impl Growing {
    /// Nothing but the `header` so far, a line; it appears with the first rows.
    pub fn new(output: Output, header: &str) -> Growing {
        Growing {
            output,
            text: header.to_owned(),
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
        self.failure.is_some() || !self.output.has_reader()
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
    pub fn finish(mut self) -> Result<Output> {
        self.flush();
        self.failure.map_or(Ok(self.output), Err)
    }
}
