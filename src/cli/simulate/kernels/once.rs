//! Option `--equal-sms-once`.

use crate::cli::{Global, complain};
use crate::error::Result;
use crate::warp::scenario::Setup;

/// Option to simulate identical SMs only once.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct EqualSmsOnce {
    /// Simulate identical SMs only once, with the same result
    ///
    /// The option applies to kernels that access no memory outside the SM. For other kernels, gpusched simulates each SM and writes
    /// a note with the reason.
    #[arg(id = "equal_sms_once", long = "equal-sms-once")]
    pub given: bool,
}

impl EqualSmsOnce {
    /// Writes a note if the option had no effect on a run of `setup`.
    ///
    /// # Errors
    /// Errors of reading traces.
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
