//! `gpusched man`: manual pages.

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;

use crate::report::Output;
use crate::{Cli, Global, Outcome, Run};
use gpusched_model::artifact::Outputs;
use gpusched_model::error::{Error, Result};

/// Arguments of `gpusched man`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Command to describe [default: gpusched itself; with -o FOLDER, all commands]
    command: Vec<String>,
}

const EXAMPLE: &str = "\
Example:
  gpusched man partition";

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        let mut root = Cli::command().disable_help_subcommand(true);
        root.build();
        match global.file() {
            Some(folder) if folder.is_dir() && self.command.is_empty() => {
                let mut pages = Outputs::default();
                let mut commands = vec![root];
                while let Some(command) = commands.pop() {
                    let path = folder.join(format!("{}.1", name(&command)));
                    pages.write(path, page(&command)?)?;
                    commands.extend(command.get_subcommands().cloned());
                }
                pages.commit()?;
            }
            _ => {
                let mut command = &root;
                for word in &self.command {
                    command = command
                        .find_subcommand(word)
                        .ok_or_else(|| Error::parameter("man", format!("{word:?}"), "a command"))?;
                }
                Output::open(global)?.answer(page(command)?)?;
            }
        }
        Ok(Outcome::Positive)
    }
}

/// Returns the name of the manual page of `command`, such as `gpusched-study-run` for
/// `gpusched study run`.
fn name(command: &Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

fn page(command: &Command) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command.clone())
        .title(name(command).to_uppercase())
        .source(concat!("gpusched ", env!("CARGO_PKG_VERSION")))
        .manual("gpusched manual")
        .render(&mut page)
        .map_err(|cause| Error::io("-", "write", cause))?;
    Ok(page)
}
