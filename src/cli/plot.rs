//! `gpusched plot`: figures from the CSV of a study.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::{Format, Global, Outcome};
use crate::artifact::Artifact;
use crate::error::{Error, Result};
use crate::plot::{Options, Selection, line_chart};
use crate::study::Table;

/// The arguments of `gpusched plot`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  gpusched plot analysis/singh21-fig3.4/singh21-fig3.4.csv -o fig3.4.svg")]
pub struct Args {
    /// Results; several are drawn together. `-` is standard input.
    #[arg(required = true, value_name = "CSV")]
    files: Vec<PathBuf>,
    /// The column along the horizontal axis.
    #[arg(long, value_name = "COLUMN", default_value = "utilization")]
    x: String,
    /// The column along the vertical axis.
    #[arg(long, value_name = "COLUMN", default_value = "rate")]
    y: String,
    /// The column with one line per value.
    #[arg(long, value_name = "COLUMN", default_value = "algorithm")]
    series: String,
    /// The column with one panel per value [default: reading, where there is one].
    #[arg(long, value_name = "COLUMN")]
    panel: Option<String>,
    /// Only rows with this value; repeated for one column: with any of the values.
    #[arg(long = "where", value_name = "COLUMN=VALUE")]
    selections: Vec<Selection>,
    /// The headline [default: the name of the study].
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// A logarithmic vertical axis.
    #[arg(long)]
    log_y: bool,
}

impl Args {
    /// Draws the figure.
    ///
    /// # Errors
    /// Those of [`Table::read`], [`line_chart`] and [`Artifact::write`]; [`Error::Usage`] for any format but SVG.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        let output = global.output.as_deref().filter(|path| *path != Path::new("-"));
        check_format(output, global.format)?;
        let tables: Vec<Table> = self.files.iter().map(Table::read).collect::<Result<_>>()?;
        let svg = line_chart(&tables, &self.options())?;
        match output {
            Some(path) => Artifact::write(path, svg)?,
            None => {
                let mut stdout = std::io::stdout().lock();
                let written = stdout.write_all(svg.as_bytes()).and_then(|()| stdout.flush());
                written.map_err(|cause| Error::io("-", "write", cause))?;
            }
        }
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

/// A figure is SVG and nothing else.
fn check_format(output: Option<&Path>, format: Option<Format>) -> Result<()> {
    if format.is_some_and(|format| format != Format::Text) {
        return Err(Error::Usage(
            "--format does not apply: a figure is always SVG".to_owned(),
        ));
    }
    let Some(path) = output else { return Ok(()) };
    let is_svg = path
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("svg"));
    let is_device = std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
    if is_svg || is_device {
        return Ok(());
    }
    Err(Error::Usage(format!(
        "{}: a figure is SVG; expected a name that ends in .svg",
        path.display()
    )))
}
