//! A run in CSV: a row per block, as soon as it has ended.

use std::fmt::Write as _;

use crate::cli::output::Output;
use crate::error::{Error, Result};
use crate::simulator::blocks::Observer;
use crate::time::Time;

/// The columns.
const HEADER: &str = "kernel,block,sm,start_ns,end_ns\n";

/// Text that is written at a time [bytes].
const CHUNK: usize = 1 << 16;

/// An observer that writes.
pub struct Rows {
    output: Output,
    text: String,
    /// Why writing failed; then nothing more is written.
    failure: Option<Error>,
}

impl Rows {
    /// Nothing but the header so far; it appears with the first rows.
    pub fn new(output: Output) -> Rows {
        Rows {
            output,
            text: HEADER.to_owned(),
            failure: None,
        }
    }

    fn flush(&mut self) {
        if self.failure.is_none() {
            self.failure = self.output.write(&self.text).err();
        }
        self.text.clear();
    }

    /// All blocks have ended.
    ///
    /// # Errors
    /// The first failure to write.
    pub fn finish(mut self) -> Result<()> {
        self.flush();
        match self.failure {
            Some(failure) => Err(failure),
            None => self.output.finish(),
        }
    }
}

impl Observer for Rows {
    fn block_ended(&mut self, now: Time, kernel: usize, block: u32, sm: u32, start: Time) {
        let (start, end) = (start.ns(), now.ns());
        let _ = writeln!(self.text, "{kernel},{block},{sm},{start},{end}"); // a string takes everything
        if self.text.len() >= CHUNK {
            self.flush();
        }
    }

    fn is_done(&self) -> bool {
        self.failure.is_some()
    }
}
