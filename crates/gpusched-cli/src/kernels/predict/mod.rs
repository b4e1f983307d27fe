//! `gpusched predict`: execution times of concurrent kernels.

mod profiles;
mod result;
mod table;

pub use profiles::{BANDWIDTHS, bandwidth_column, bandwidth_in, gpu_in};
pub use result::Answer;

use std::path::PathBuf;

use crate::arguments::named;
use crate::report::{About, Output, Shown};
use crate::{Global, Outcome, Run};
use gpusched_analysis::prediction::{Model, Prediction, predict};
use gpusched_model::Group;
use gpusched_model::assumptions::of_predictions;
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::reader::Groups;

/// Arguments of `gpusched predict`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// One group (JSON) or many (JSONL, one per line); `-` is standard input
    #[arg(value_name = "GROUP")]
    groups: PathBuf,
    /// Prediction models, separated by commas
    #[arg(
        long = "model",
        value_name = "MODEL",
        value_parser = named::<Model>(),
        value_delimiter = ',',
        default_value = "fluid"
    )]
    models: Vec<Model>,
    /// Also show the contribution of each time window; JSON always contains it
    #[arg(long)]
    windows: bool,
}

const EXAMPLE: &str = "\
A prediction is an estimate, not a bound. Do not use a prediction in a safety argument.

Examples:
  gpusched predict tasksets/groups/masola23-experiment-4.json --model fluid,masola,naive
  gpusched predict tasksets/groups/masola23-experiment-7.json --windows";

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        self.check_models()?;
        let mut output = Output::open(global)?;
        let groups = Groups::open(&self.groups)?;
        let file = groups.file().to_owned();
        let mut groups = groups.enumerate().peekable();
        while let Some((index, group)) = groups.next() {
            let (line, group) = group?;
            let shown = Shown::new(global, index == 0 && groups.peek().is_none());
            let refuse = |refusal: Refusal| Error::from(refusal.at(&file, line));
            let mut files = Vec::new();
            let mut answer = self.answer(group, &mut files, &refuse)?;
            answer.assumptions = shown.listed(of_predictions(self.models.iter().copied()));
            output.keep(files)?;
            output.report(&About((index, self.windows, shown), answer))?;
        }
        output.finish()?;
        Ok(Outcome::Positive)
    }
}

impl Args {
    /// # Errors
    /// Fails with [`Error::Refused`] if the list names a model twice, because the rows of this model would appear
    /// twice.
    fn check_models(&self) -> Result<()> {
        let mut models = self.models.iter();
        while let Some(model) = models.next() {
            if models.as_slice().contains(model) {
                return Err(Error::parameter(
                    "model",
                    format!("{model} twice"),
                    "each model once",
                ));
            }
        }
        Ok(())
    }

    /// Returns the predictions for `group`. Adds the files of the memory profiles in `group` to
    /// `files`.
    fn answer(
        &self,
        group: Group,
        files: &mut Vec<PathBuf>,
        refuse: &dyn Fn(Refusal) -> Error,
    ) -> Result<Answer> {
        let folder = self.groups.parent().unwrap_or(std::path::Path::new(""));
        let group = group.resolved(|kernel, name| {
            profiles::find(folder, name, files, |found, expected| {
                refuse(Refusal::new(
                    format!("kernels[{kernel}].profile"),
                    found,
                    expected,
                ))
            })
        })?;
        let predictions = self.models.iter().map(|&model| {
            predict(model, &group).map_err(|error| {
                let field = format!("kernels[{}].{}", error.kernel, error.field);
                refuse(Refusal::new(field, error.found, error.expected))
            })
        });
        let predictions = predictions.collect::<Result<Vec<Prediction>>>()?;
        for prediction in &predictions {
            if let Some((kernel, time)) = too_long(prediction) {
                let found = format!("a predicted time of {time:e} ns by model {}", prediction.model);
                let expected = "less than 2^64 ns, which is about 584 years";
                let field = format!("kernels[{kernel}].profile");
                return Err(refuse(Refusal::new(field, found, expected)));
            }
        }
        Ok(Answer::new(&group, &predictions))
    }
}

/// Returns the first kernel whose predicted time is 2⁶⁴ ns or more, and this time.
fn too_long(prediction: &Prediction) -> Option<(usize, f64)> {
    let kernels = prediction.kernels.iter().enumerate();
    let kernels = kernels.flat_map(|(index, kernel)| [(index, kernel.isolated), (index, kernel.predicted)]);
    let windows = prediction.windows.iter();
    let parts = windows.flat_map(|window| {
        let parts = window.parts.iter();
        parts.flat_map(|part| [(part.kernel, part.time), (part.kernel, window.end)])
    });
    // A time of NaN also counts as too long.
    kernels
        .chain(parts)
        .find(|&(_, time)| !(0.0..u64::MAX as f64).contains(&time))
}
