//! `--equal-sms-once`.

use crate::cli::{Global, complain};
use crate::error::Result;
use crate::warp::scenario::Setup;

/// Whether SMs that are equal are simulated once.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct EqualSmsOnce {
    /// Simulate SMs once that are equal all the time: the same output, sooner. For kernels that access no memory beyond the SM; with
    /// others each SM is simulated, and a note says why.
    #[arg(id = "equal_sms_once", long = "equal-sms-once")]
    pub given: bool,
}

impl EqualSmsOnce {
    /// Says why it had no effect on a run of `setup`, if it had none.
    ///
    /// # Errors
    /// Those of reading traces.
    pub fn explain(&self, global: &Global, setup: &Setup) -> Result<()> {
        if self.given
            && !global.quiet
            && let Some(unlike) = setup.unlike()?
        {
            complain(&format!("note: each SM was simulated: {unlike}"));
        }
        Ok(())
    }
}
