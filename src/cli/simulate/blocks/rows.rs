//! A run in CSV: a row per block, as soon as it has ended.

use crate::cli::output::Output;
use crate::cli::simulate::growing::Growing;
use crate::error::Result;
use crate::model::Observer;
use crate::simulator::blocks::Event;
use crate::time::Time;

/// The columns.
const HEADER: &str = "kernel,block,sm,start_ns,end_ns\n";

/// An observer that writes.
pub struct Rows(Growing);

impl Rows {
    /// Nothing but the header so far.
    pub fn new(output: Output) -> Rows {
        Rows(Growing::new(output, HEADER))
    }

    /// All blocks have ended.
    ///
    /// # Errors
    /// The first failure to write.
    pub fn finish(self) -> Result<Output> {
        self.0.finish()
    }
}

impl Observer<Event> for Rows {
    fn see(&mut self, now: Time, event: Event) {
        if let Event::BlockComplete(block) = event {
            let (kernel, number, sm) = (block.kernel, block.number, block.sm);
            let (start, end) = (block.start.ns(), now.ns());
            self.0.row(format_args!("{kernel},{number},{sm},{start},{end}"));
        }
    }

    fn goes_on(&self) -> bool {
        !self.0.is_futile()
    }
}
