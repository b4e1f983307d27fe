//! `gpusched study draw`: draws the figures of studies again, from their results.

use std::path::PathBuf;

use serde::Serialize;

use super::check::finished;
use crate::arguments::named;
use crate::report::{Output, Palette, Picture, Report, Table, json_document};
use crate::{Global, Outcome, Run};
use gpusched_model::error::Result;
use gpusched_study::Study;

/// Arguments of `gpusched study draw`. The command reads the results and runs no study.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Output folder of `study run`, or folder of studies with one results folder each
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Format of the figures
    #[arg(long = "as", value_parser = named::<Picture>(), default_value_t, value_name = "FORMAT")]
    picture: Picture,
}

const EXAMPLE: &str = "\
Change the table [figure] of a study, and draw its figure again. If the study file and the results are in different folders, the
command also updates the copy of the study file next to the results. `draw` skips studies without results.

Example:
  gpusched study run analysis/smoke.toml -o results && gpusched study draw results";

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        self.picture.check("as", self.picture)?;
        let output = Output::open(global)?;
        let mut drawn = Vec::new();
        for study in finished(&self.folder)? {
            drawn.extend(draw(&study, self.picture)?);
        }
        output.last(&Figures(drawn))?;
        Ok(Outcome::Positive)
    }
}

/// Draws the figures that `study` defines from the results of the study. The files have the format `picture`.
pub fn draw(study: &Study, picture: Picture) -> Result<Vec<Drawn>> {
    let mut outputs = study.spec.outputs();
    study.write_spec(&mut outputs)?;
    let mut drawn = Vec::new();
    for figure in study.figures()? {
        // The part after the last dot is always `svg`.
        let file = figure.path.with_extension(picture.to_string());
        outputs.write(&file, picture.encode(figure.svg()?)?)?;
        drawn.push(Drawn {
            study: study.spec.name().to_owned(),
            file,
        });
    }
    outputs.commit()?;
    Ok(drawn)
}

/// A figure that the command has drawn.
#[derive(Serialize)]
pub struct Drawn {
    study: String,
    file: PathBuf,
}

/// All figures that the command has drawn.
#[derive(Serialize)]
struct Figures(Vec<Drawn>);

impl Report for Figures {
    fn json(&self) -> Result<String> {
        json_document(self)
    }

    fn table(&self) -> Table {
        let table = Table::of(&self.0)
            .exact("study", |drawn| &drawn.study)
            .exact("file", |drawn| drawn.file.display().to_string());
        table.done()
    }

    fn text(&self, _: &Palette) -> Result<String> {
        let lines = self.0.iter().map(|drawn| format!("{}\n", drawn.file.display()));
        Ok(lines.collect())
    }
}
