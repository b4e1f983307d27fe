//! `gpusched predict`: how long kernels take that run side by side.

mod answer;
mod profiles;
mod table;

pub use answer::Answer;

use std::path::PathBuf;

use super::output::{Output, Palette};
use super::question::json_line;
use super::{Format, Global, Outcome};
use crate::error::{Error, InputError, Result};
use crate::model::Group;
use crate::model::reader::Groups;
use crate::prediction::{Model, Prediction, predict};

/// Predicts how long kernels take that run side by side, each on SMs of its own, before one memory.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// One group (JSON) or many (JSONL, one per line); `-` reads standard input.
    #[arg(value_name = "GROUP")]
    groups: PathBuf,
    /// The model; several are separated by commas.
    #[arg(
        long = "model",
        value_name = "MODEL",
        value_enum,
        value_delimiter = ',',
        default_value = "fluid"
    )]
    models: Vec<Model>,
    /// What each window of time contributes (JSON always has it).
    #[arg(long)]
    windows: bool,
}

const EXAMPLE: &str = "\
A prediction is no bound: nothing for a safety argument.

Examples:
  gpusched predict tasksets/groups/masola23-experiment-4.json --model fluid,masola,naive
  gpusched predict tasksets/groups/masola23-experiment-7.json --windows";

impl Args {
    /// Predictions for each group.
    ///
    /// # Errors
    /// Bad input, or output that cannot be written.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        let (format, palette) = (global.format(), Palette::of(global));
        let mut output = Output::open(global)?;
        if format == Format::Csv {
            output.write(table::csv_header(self.windows)?)?;
        }
        let mut groups = Groups::open(&self.groups)?;
        let mut index = 0;
        while let Some(group) = groups.next() {
            let (line, group) = group?;
            let fault = |field: String, message: String| {
                Error::Input(InputError {
                    file: groups.file().to_owned(),
                    line: Some(line),
                    field,
                    message,
                })
            };
            let answer = self.answer(group, &fault)?;
            output.write(match format {
                Format::Json => json_line(&answer)?,
                Format::Csv => table::csv(&answer, index, self.windows)?,
                Format::Text => table::text(&answer, self.windows, &palette),
            })?;
            index += 1;
        }
        output.finish()?;
        Ok(Outcome::Positive)
    }

    fn answer(&self, group: Group, fault: &dyn Fn(String, String) -> Error) -> Result<Answer> {
        let folder = self.groups.parent().unwrap_or(std::path::Path::new(""));
        let group = group.resolved(|kernel, name| {
            profiles::find(folder, name, |message| {
                fault(format!("kernels[{kernel}].profile"), message)
            })
        })?;
        let predictions = self.models.iter().map(|&model| {
            predict(model, &group).map_err(|error| {
                let field = format!("kernels[{}].{}", error.kernel, error.field);
                let message = format!("found {}, expected {}", error.found, error.expected);
                fault(field, message)
            })
        });
        let predictions = predictions.collect::<Result<Vec<Prediction>>>()?;
        Ok(Answer::new(&group, &predictions))
    }
}
