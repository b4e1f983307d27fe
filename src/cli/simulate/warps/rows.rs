//! A run in CSV: a row per instruction, as soon as it is issued.

use crate::cli::output::Output;
use crate::cli::simulate::growing::Growing;
use crate::error::Result;
use crate::model::Observer;
use crate::warp::subcore::Issue;

/// The columns.
const HEADER: &str = "cycle,scheduler,warp,kernel,instruction\n";

/// An observer that writes.
pub struct Rows(Growing);

impl Rows {
    /// Nothing but the header so far.
    pub fn new(output: Output) -> Rows {
        Rows(Growing::new(output, HEADER))
    }

    /// The run has ended.
    ///
    /// # Errors
    /// The first failure to write.
    pub fn finish(self) -> Result<Output> {
        self.0.finish()
    }
}

impl Observer<Issue, u64> for Rows {
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
