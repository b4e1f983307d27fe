//! `gpusched plot`: figures from CSV results.

use std::path::PathBuf;

use super::{Format, Global, Outcome};
use crate::report::{Content, Output};
use gpusched_model::error::{Error, Result};
use gpusched_study::Table;
use gpusched_study::plot::{Options, Selection, line_chart};

/// Arguments of `gpusched plot`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  gpusched plot analysis/singh21-fig3.4/singh21-fig3.4.csv -o fig3.4.svg")]
pub struct Args {
    /// CSV files with results, all for one figure; `-` is standard input
    #[arg(required = true, value_name = "CSV")]
    files: Vec<PathBuf>,
    /// Column of the horizontal axis
    #[arg(long, value_name = "COLUMN", default_value = "utilization")]
    x: String,
    /// Column of the vertical axis
    #[arg(long, value_name = "COLUMN", default_value = "rate")]
    y: String,
    /// Column that determines the lines: one line per value
    #[arg(long, value_name = "COLUMN", default_value = "algorithm")]
    series: String,
    /// Column that determines the panels [default: `reading`, if present]
    #[arg(long, value_name = "COLUMN")]
    panel: Option<String>,
    /// Draw only rows with VALUE in COLUMN; repeat the option to allow more values
    #[arg(long = "where", value_name = "COLUMN=VALUE")]
    selections: Vec<Selection>,
    /// Title [default: name of the study]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Use a logarithmic vertical axis
    #[arg(long)]
    log_y: bool,
}

/// Hint for a figure with too many lines or panels.
const CHOOSE: &str =
    "choose rows with `--where COLUMN=VALUE`, or another column with `--series` or `--panel`";

impl Args {
    /// Draws the figure.
    ///
    /// # Errors
    /// Fails in the same cases as [`Table::read`] and [`line_chart`], or if output cannot be written. Also fails with
    /// [`Error::Refused`] for `--format json` and `--format csv`.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        if global.format.is_some_and(|format| format != Format::Text) {
            let found = "a data format";
            return Err(Error::parameter(
                "format",
                found,
                "no --format, because a figure is always SVG",
            ));
        }
        if let Some(path) = global.file() {
            Content::Svg.check("output", path)?;
        }
        let output = Output::open(global)?;
        let tables: Vec<Table> = self.files.iter().map(Table::read).collect::<Result<_>>()?;
        let svg = line_chart(&tables, &self.options()).map_err(|error| {
            error.map_refusal(|refusal| match refusal.advice() {
                Some(_) => refusal.hint(CHOOSE),
                None => refusal,
            })
        })?;
        output.answer(svg)?;
        Ok(Outcome::Positive)
    }

    fn options(&self) -> Options {
        Options {
            x: self.x.clone(),
            y: self.y.clone(),
            series: self.series.clone(),
            panel: self.panel.clone(),
            selections: self.selections.clone(),
            title: self.title.clone(),
            log_y: self.log_y,
            ..Options::default()
        }
    }
}
