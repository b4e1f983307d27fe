//! `gpusched completions`: completion scripts for shells.

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::report::Output;
use crate::{Cli, Global, Outcome, Run};
use gpusched_model::error::Result;

/// Arguments of `gpusched completions`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Shell that the script is for
    #[arg(value_enum)]
    shell: Shell,
}

const EXAMPLE: &str = "\
Example:
  gpusched completions bash -o gpusched.bash";

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "gpusched", &mut script);
        Output::open(global)?.answer(script)?;
        Ok(Outcome::Positive)
    }
}
