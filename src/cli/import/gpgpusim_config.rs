//! `gpusched import gpgpusim-config`: a configuration of GPGPU-Sim as a machine.

use std::path::PathBuf;

use crate::cli::report::{Output, clip, json_document};
use crate::cli::{Global, Outcome, complain};
use crate::error::Result;
use crate::gpgpusim_config::{Imported, read};
use crate::warp::gpu;

/// Reads a configuration of GPGPU-Sim as a machine.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// The files, such as gpgpusim.config, one after the other: of an option set twice, the last counts; `-` reads standard input.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// What the machine is called.
    #[arg(long, value_name = "NAME", default_value = "imported")]
    name: String,
    /// List the options without effect and the defaults on standard error.
    #[arg(long, short)]
    verbose: bool,
}

const EXAMPLE: &str = "\
Answers with the machine as JSON. Options that are missing have GPGPU-Sim's defaults.

Example:
  gpusched import gpgpusim-config tasksets/machines/small.config --name small";

impl Args {
    /// Reads the files.
    ///
    /// # Errors
    /// Bad input, or output that cannot be written.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        global.only_json("that of a machine")?;
        let imported = read(&self.files, &self.name)?;
        Output::open(global)?.answer(json_document(&imported.machine)?)?;
        if let Err(failure) = gpu::check(&imported.machine) {
            complain(&format!("warning: cannot be simulated: {failure}"));
        }
        if !global.quiet {
            self.tell(&imported);
        }
        Ok(Outcome::Positive)
    }

    /// How the files became a machine.
    fn tell(&self, imported: &Imported) {
        for one in &imported.unmodelled {
            let (option, value, instead) = (&one.option, clip(&one.value, 60), one.instead);
            complain(&format!("{option} {value}: not modelled, simulated is {instead}"));
        }
        let (missing, ignored) = (&imported.missing, &imported.ignored);
        if self.verbose {
            for one in missing {
                complain(&format!("default: {} {}", one.option, one.value));
            }
            for one in ignored {
                let values = clip(one.value.as_deref().unwrap_or_default(), 60);
                complain(&format!(
                    "{}:{}: without effect: {} {values}",
                    one.file, one.line, one.option
                ));
            }
        }
        let hint = if self.verbose { "" } else { " (listed with -v)" };
        let number = |count, what: &str| match count {
            1 => format!("1 {what}"),
            _ => format!("{count} {what}s"),
        };
        let count = number(ignored.len(), "option");
        let missing = number(missing.len(), "default");
        // Misspelled options are among them.
        let names: Vec<String> = ignored
            .iter()
            .take(NAMED)
            .map(|one| clip(&one.option, 60))
            .collect();
        let names = match ignored.len() {
            0 => String::new(),
            1..=NAMED => format!(" ({})", names.join(", ")),
            _ => format!(" ({}, …)", names.join(", ")),
        };
        complain(&format!(
            "{count} without effect on the machine{names}, {missing}{hint}"
        ));
    }
}

/// How many options without effect are named in any case.
const NAMED: usize = 10;
