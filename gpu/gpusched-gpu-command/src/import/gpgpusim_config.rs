//! `gpusched import gpgpusim-config`: converts a GPGPU-Sim configuration to a simulated GPU.

use std::path::PathBuf;

use gpusched_cli::part::Run;
use gpusched_cli::part::complain;
use gpusched_cli::part::{Output, clip, json_document};
use gpusched_cli::{Global, Outcome};
use gpusched_gpu::gpu;
use gpusched_gpu::import::gpgpusim_config::{Imported, read};
use gpusched_model::error::Result;

/// Arguments of `gpusched import gpgpusim-config`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Configuration files; later values replace earlier values; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Name of the simulated GPU
    #[arg(long, value_name = "NAME", default_value = "imported")]
    name: String,
    /// List the options without effect and the defaults in use, on standard error
    #[arg(long, short)]
    verbose: bool,
}

const EXAMPLE: &str = "\
The result is the simulated GPU as JSON. Missing options have the defaults of GPGPU-Sim. If GPGPU-Sim does not know an option,
the command stops, because the name may be misspelled.

Example:
  gpusched import gpgpusim-config tasksets/machines/small.config --name small";

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        global.only_json("json, because a simulated GPU is JSON")?;
        let imported = read(&self.files, &self.name)?;
        Output::open(global)?.answer(json_document(&imported.machine)?)?;
        if let Err(failure) = gpu::check(&imported.machine) {
            complain(&format!("warning: gpusched cannot simulate this GPU: {failure}"));
        }
        if !global.quiet {
            self.tell(&imported);
        }
        Ok(Outcome::Positive)
    }
}

impl Args {
    /// Writes notes about options without effect and about defaults.
    fn tell(&self, imported: &Imported) {
        for one in &imported.unmodelled {
            let (option, value, instead) = (&one.option, clip(&one.value, 60), one.instead);
            complain(&format!(
                "{option} {value}: not modeled; gpusched simulates {instead}"
            ));
        }
        let (missing, ignored) = (&imported.missing, &imported.ignored);
        if self.verbose {
            for one in missing {
                complain(&format!("default: {} {}", one.option, one.value));
            }
            for one in ignored {
                let values = clip(one.value.as_deref().unwrap_or_default(), 60);
                complain(&format!(
                    "{}:{}: option without effect: {} {values}",
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
        complain(&format!(
            "{count} without effect on the simulated GPU, {missing}{hint}"
        ));
    }
}
