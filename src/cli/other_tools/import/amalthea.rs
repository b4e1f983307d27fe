//! `gpusched import amalthea`: converts a task model of APP4MC to a task set of its GPU.

use std::path::PathBuf;

use crate::cli::arguments::whole;
use crate::cli::report::Output;
use crate::cli::{Global, Outcome, complain};
use crate::error::Result;
use crate::model::counted;
use crate::model::wcet::MAX_SMS;
use crate::recording::amalthea::{Imported, import};

/// Arguments of `gpusched import amalthea`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Model file of APP4MC (.amxmi); `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Number of SMs of the GPU [default: from a feature of the GPU in the file]
    ///
    /// The format has no field for the number of SMs. Some files state it as a feature of the GPU, such as `SMs/SM_2`.
    #[arg(long, value_name = "N", value_parser = whole(1..=MAX_SMS))]
    sms: Option<u32>,
}

const EXAMPLE: &str = "\
The result is a task set (JSON) with the work on the GPU. Notes list the parts of the model without an effect, such as tasks on CPUs.

Example:
  gpusched import amalthea tasksets/amalthea/waters-challenge-2019.amxmi";

impl Args {
    /// Reads the model and writes the task set.
    ///
    /// # Errors
    /// Fails on bad input, for a model without work on a GPU, or if output cannot be written.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        global.only_json("json, because a task set is JSON")?;
        let imported = import(&self.file, self.sms)?;
        Output::open(global)?.json(&imported.set)?;
        for warning in &imported.warnings {
            complain(&format!("warning: {warning}"));
        }
        if !global.quiet {
            tell(&imported);
        }
        Ok(Outcome::Positive)
    }
}

/// Writes notes about the GPU, the assumptions, and the ignored parts.
fn tell(imported: &Imported) {
    let gpu = &imported.gpu;
    let origin = gpu
        .feature
        .as_ref()
        .map(|feature| format!(" (feature {feature})"));
    complain(&format!(
        "note: {} on the GPU {:?} with {}{}, at {}",
        counted(imported.set.tasks().len(), "task"),
        gpu.name,
        counted(gpu.sms, "SM"),
        origin.unwrap_or_default(),
        gpu.frequency
    ));
    for assumption in &imported.assumptions {
        complain(&format!("note: assumption, unsafe if violated: {assumption}"));
    }
    for ignored in &imported.ignored {
        complain(&format!("note: ignored: {ignored}"));
    }
}
