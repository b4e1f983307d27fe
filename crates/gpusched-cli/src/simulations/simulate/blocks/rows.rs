//! CSV form of a run of `simulate blocks`. There is one row per thread block, written when the
//! block ends.

use crate::report::Growing;
use gpusched_model::Observer;
use gpusched_model::time::Time;
use gpusched_sim::blocks::Event;

/// CSV columns.
pub const COLUMNS: &str = "kernel,block,sm,start_ns,end_ns";

/// Observer of a simulation. It writes the CSV rows.
pub struct Rows<'a>(pub Growing<'a>);

impl Observer<Event> for Rows<'_> {
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
