//! A run in CSV: a row per instruction, as soon as it is issued.

use crate::cli::simulate::growing::Growing;
use crate::model::Observer;
use crate::warp::subcore::Issue;

/// The columns.
pub const COLUMNS: &str = "cycle,scheduler,warp,kernel,instruction";

/// An observer that writes.
pub struct Rows<'a>(pub Growing<'a>);

impl Observer<Issue, u64> for Rows<'_> {
    fn see(&mut self, cycle: u64, issue: Issue) {
        // There is one sub-core, hence one scheduler.
        self.0.row(format_args!(
            "{cycle},0,{},{},{}",
            issue.warp, issue.kernel, issue.instruction
        ));
    }

    fn goes_on(&self) -> bool {
        !self.0.is_futile()
    }
}
