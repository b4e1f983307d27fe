//! A run in CSV: a row per block, as soon as it has ended.

use crate::cli::simulate::growing::Growing;
use crate::simulator::blocks::Observer;
use crate::time::Time;

/// The columns.
pub const COLUMNS: &str = "kernel,block,sm,start_ns,end_ns";

/// An observer that writes.
pub struct Rows<'a>(pub Growing<'a>);

impl Observer for Rows<'_> {
    fn block_ended(&mut self, now: Time, kernel: usize, block: u32, sm: u32, start: Time) {
        let (start, end) = (start.ns(), now.ns());
        self.0.row(format_args!("{kernel},{block},{sm},{start},{end}"));
    }

    fn is_done(&self) -> bool {
        self.0.is_futile()
    }
}
