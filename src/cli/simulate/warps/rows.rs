//! A run in CSV: a row per instruction, as soon as it is issued.

use crate::cli::simulate::growing::Growing;
use crate::warp::subcore::{Issue, Observer};

/// The columns.
pub const COLUMNS: &str = "cycle,scheduler,warp,kernel,instruction";

/// An observer that writes.
pub struct Rows<'a>(pub Growing<'a>);

impl Observer for Rows<'_> {
    fn issued(&mut self, issue: Issue) {
        // There is one sub-core, hence one scheduler.
        self.0.row(format_args!(
            "{},0,{},{},{}",
            issue.cycle, issue.warp, issue.kernel, issue.instruction
        ));
    }

    fn is_done(&self) -> bool {
        self.0.is_futile()
    }
}
