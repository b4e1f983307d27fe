//! A run in CSV: a row per instruction, as soon as it is issued.

use std::fmt::Write as _;

use crate::cli::output::Output;
use crate::error::{Error, Result};
use crate::simulator::warp::subcore::{Issue, Observer};

/// The columns.
const HEADER: &str = "cycle,scheduler,warp,kernel,instruction\n";

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

    /// The run has ended.
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
    fn issued(&mut self, issue: Issue) {
        let (cycle, warp) = (issue.cycle, issue.warp);
        // There is one sub-core, hence one scheduler. A string takes everything.
        let _ = writeln!(
            self.text,
            "{cycle},0,{warp},{},{}",
            issue.kernel, issue.instruction
        );
        if self.text.len() >= CHUNK {
            self.flush();
        }
    }

    fn is_done(&self) -> bool {
        self.failure.is_some()
    }
}
