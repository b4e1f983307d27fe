//! `gpusched study reproduction`: the claims of finished studies as a page.

use std::path::PathBuf;

use super::check::finished;
use crate::cli::report::Output;
use crate::cli::{Format, Global, Outcome};
use crate::error::{Error, Result};
use crate::study::{Study, reproduction};

/// Writes a page in Markdown: every claim with its source, what was published, our figures, and a verdict per reading.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Folders as for `study check`.
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
}

const EXAMPLE: &str = "\
Exit code 1 if a claim that must hold is not reproduced. Studies without results are left out.

Example:
  gpusched study run analysis/smoke.toml -o results && gpusched study reproduction results -o reproduction.md";

impl Args {
    /// Writes the page.
    ///
    /// # Errors
    /// As for `study check`; [`Error::Refused`] for a format other than text, or one study in two folders.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        if let Some(format @ (Format::Json | Format::Csv)) = global.format {
            return Err(Error::parameter(
                "format",
                format,
                "none: the page is Markdown (see `study check` for JSON and CSV)",
            ));
        }
        let mut studies: Vec<Study> = Vec::new();
        for folder in &self.folders {
            for study in finished(folder)? {
                if studies.iter().any(|other| other.spec.name() == study.spec.name()) {
                    let found = format!(
                        "study `{}`, which is in another folder as well",
                        study.spec.name()
                    );
                    return Err(Error::file(folder, found, "each study once"));
                }
                studies.push(study);
            }
        }
        let folders = self.folders.iter().map(|folder| format!(" {}", folder.display()));
        let command = format!("gpusched study reproduction{}", folders.collect::<String>());
        let page = reproduction(&studies, &command)?;
        let mut failed = false;
        for study in &studies {
            failed |= study.findings()?.is_failure();
        }
        Output::open(global)?.answer(page)?;
        Ok(if failed {
            Outcome::Negative
        } else {
            Outcome::Positive
        })
    }
}
