//! `gpusched study reproduction`: writes a page that compares the results of finished studies
//! with published claims.

use std::path::PathBuf;

use super::check::finished;
use crate::report::Output;
use crate::{Format, Global, Outcome, Run};
use gpusched_model::error::{Error, Result};
use gpusched_study::{Commands, Reasons, Study, reproduction};

/// Arguments of `gpusched study reproduction`. The Markdown page lists every claim with its
/// source, with published and computed numbers, and with one verdict per analysis variant.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Folders with finished studies, as for `study check`
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// JSON file with reasons for deviations [default: reasons.json in DIR]
    #[arg(long, value_name = "PATH")]
    reasons: Option<PathBuf>,
}

const EXAMPLE: &str = "\
Exit code 1: a claim that must hold is not reproduced. `reproduction` skips studies without results.

Example:
  gpusched study run analysis/smoke.toml -o results && gpusched study reproduction results -o reproduction.md";

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        if let Some(format @ (Format::Json | Format::Csv)) = global.format {
            return Err(Error::parameter(
                "format",
                format,
                "no --format, because the page is Markdown (`study check` writes JSON and CSV)",
            ));
        }
        let mut studies: Vec<Study> = Vec::new();
        for folder in &self.folders {
            for study in finished(folder)? {
                if studies.iter().any(|other| other.spec.name() == study.spec.name()) {
                    let found = format!("study `{}`, which is also in another folder", study.spec.name());
                    return Err(Error::file(folder, found, "each study once"));
                }
                studies.push(study);
            }
        }
        let folders = self.folders.iter().map(|folder| format!(" {}", folder.display()));
        let command = format!("gpusched study reproduction{}", folders.collect::<String>());
        let file = self.reasons.clone().or_else(|| {
            let mut files = self.folders.iter().map(|folder| folder.join("reasons.json"));
            files.find(|file| file.is_file())
        });
        let reasons = file.map_or_else(|| Ok(Reasons::default()), Reasons::read)?;
        let commands = Commands {
            page: &command,
            check: "gpusched study check",
            run: |file, results| format!("gpusched study run {} -o {}", file.display(), results.display()),
        };
        let page = reproduction(&studies, &reasons, commands)?;
        let mut failed = false;
        for study in &studies {
            failed |= study.findings()?.is_failure();
        }
        Output::open(global)?.answer(page)?;
        Ok((!failed).into())
    }
}
