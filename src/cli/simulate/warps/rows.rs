//! A run in CSV: a row per instruction, as soon as it is issued.

use crate::cli::report::Output;
use crate::cli::simulate::growing::Growing;
use crate::error::Result;
use crate::warp::subcore::{Issue, Observer};

/// The columns.
const HEADER: &str = "cycle,scheduler,warp,kernel,instruction\n";

/// An observer that writes.
pub struct Rows<'a>(Growing<'a>);

impl<'a> Rows<'a> {
    /// Nothing but the header so far.
    pub fn new(output: &'a mut Output) -> Rows<'a> {
        Rows(Growing::new(output, HEADER))
    }

    /// The run has ended.
    ///
    /// # Errors
    /// The first failure to write.
    pub fn finish(self) -> Result<()> {
        self.0.finish()
    }
}

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
