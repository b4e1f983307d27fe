//! Receivers of the records of a trace.

use super::Input;
use super::columns::{Fault, Record};
use gpusched_analysis::kernel_wcet::trace::Recorder;

/// A receiver of the records of a trace, in the order of the file.
pub trait Receiver {
    /// Whether a file may contain the executions of several kernels.
    fn mixes_kernels(&self) -> bool;

    /// Takes the next record, which was read with the options `input`.
    ///
    /// # Errors
    /// Returns a fault if the record is invalid. The reader adds the file and the line.
    fn take(&mut self, record: &Record, input: &Input<'_>) -> Result<(), Fault>;

    /// Ends the current file.
    ///
    /// # Errors
    /// Returns a message if the file is incomplete.
    fn end_file(&mut self) -> Result<(), String>;
}

impl Receiver for Recorder {
    fn mixes_kernels(&self) -> bool {
        false
    }

    fn take(&mut self, record: &Record, input: &Input<'_>) -> Result<(), Fault> {
        let row = record.row(input.level, input.sm_clock_hz)?;
        self.row(&row).map_err(|message| Fault::new("", message))
    }

    fn end_file(&mut self) -> Result<(), String> {
        Recorder::end_file(self)
    }
}
