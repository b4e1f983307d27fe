//! Option `--equal-sms-once`.

use gpusched_cli::Global;
use gpusched_cli::part::complain;
use gpusched_gpu::scenario::Setup;
use gpusched_model::error::Result;

/// Option to simulate only one of several identical SMs.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct EqualSmsOnce {
    /// Simulate only one of several identical SMs; the result stays the same
    ///
    /// The option has an effect only if the kernels access no memory outside the SM. Otherwise,
    /// gpusched simulates each SM and writes a note with the reason.
    #[arg(id = "equal_sms_once", long = "equal-sms-once")]
    pub given: bool,
}

impl EqualSmsOnce {
    /// Writes a note if the option had no effect on a run of `setup`.
    ///
    /// # Errors
    /// Fails if a trace cannot be read.
    pub fn explain(&self, global: &Global, setup: &Setup) -> Result<()> {
        if self.given
            && !global.quiet
            && let Some(unlike) = setup.unlike()?
        {
            complain(&format!("note: --equal-sms-once has no effect, because {unlike}"));
        }
        Ok(())
    }
}
