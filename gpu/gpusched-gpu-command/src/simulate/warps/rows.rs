//! CSV form of a run on a sub-core. There is one row per instruction, written when a warp issues
//! it.

use gpusched_cli::part::Growing;
use gpusched_model::Observer;
use gpusched_sim::warps::subcore::Issue;

/// CSV columns.
pub const COLUMNS: &str = "cycle,scheduler,warp,kernel,instruction";

/// Observer of a simulation. It writes the CSV rows.
pub struct Rows<'a>(pub Growing<'a>);

impl Observer<Issue, u64> for Rows<'_> {
    fn see(&mut self, cycle: u64, issue: Issue) {
        // A sub-core has only scheduler 0.
        self.0.row(format_args!(
            "{cycle},0,{},{},{}",
            issue.warp, issue.kernel, issue.instruction
        ));
    }

    fn goes_on(&self) -> bool {
        !self.0.is_futile()
    }
}
