//! A run in CSV: a row per block, as soon as it has ended.

use crate::cli::report::Output;
use crate::cli::simulate::growing::Growing;
use crate::error::Result;
use crate::simulator::blocks::Observer;
use crate::time::Time;

/// The columns.
const HEADER: &str = "kernel,block,sm,start_ns,end_ns\n";

/// An observer that writes.
pub struct Rows<'a>(Growing<'a>);

impl<'a> Rows<'a> {
    /// Nothing but the header so far.
    pub fn new(output: &'a mut Output) -> Rows<'a> {
        Rows(Growing::new(output, HEADER))
    }

    /// All blocks have ended.
    ///
    /// # Errors
    /// The first failure to write.
    pub fn finish(self) -> Result<()> {
        self.0.finish()
    }
}

impl Observer for Rows<'_> {
    fn block_ended(&mut self, now: Time, kernel: usize, block: u32, sm: u32, start: Time) {
        let (start, end) = (start.ns(), now.ns());
        self.0.row(format_args!("{kernel},{block},{sm},{start},{end}"));
    }

    fn is_done(&self) -> bool {
        self.0.is_futile()
    }
}
