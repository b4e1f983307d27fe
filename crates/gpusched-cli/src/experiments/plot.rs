//! `gpusched plot`: figures from CSV results.

use std::path::PathBuf;

use crate::arguments::named;
use crate::report::{Content, Output, Picture};
use crate::{Format, Global, Outcome, Run};
use gpusched_model::error::{Error, Result};
use gpusched_study::Table;
use gpusched_study::plot::{self, AxisScale, FigureKind, Names, Options, Reference, Selection, Size, Span};

/// Arguments of `gpusched plot`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gpusched plot analysis/singh21-fig3.4/singh21-fig3.4.csv -o fig3.4.svg
  gpusched plot analysis/sanudo20-fig3/sanudo20-fig3.csv --kind bar --y-title 'wrong predictions' -o fig3.svg")]
pub struct Args {
    /// CSV files with results, all for one figure; `-` is standard input
    #[arg(required = true, value_name = "CSV")]
    files: Vec<PathBuf>,
    /// Kind of figure
    ///
    /// Default: `line` if the horizontal axis shows numbers. If it shows texts: `bar` if each series has at most one
    /// value for each text, otherwise `box`.
    #[arg(long, value_parser = named::<FigureKind>())]
    kind: Option<FigureKind>,
    /// Column of the horizontal axis [default: `utilization`, or the first column that distinguishes the rows]
    #[arg(long, value_name = "COLUMN", help_heading = DATA)]
    x: Option<String>,
    /// Column of the values [default: `rate` or `value`]
    #[arg(long, value_name = "COLUMN", help_heading = DATA)]
    y: Option<String>,
    /// Columns that determine the series: the lines, or the bars in a group
    ///
    /// A comma separates several columns. An empty text means one series. Default: `algorithm`, or the other columns that
    /// distinguish the rows.
    #[arg(long, value_name = "COLUMNS", help_heading = DATA)]
    series: Option<Names>,
    /// Columns that determine the panels [default: `variant`, if present]
    ///
    /// A comma separates several columns. An empty text means one panel.
    #[arg(long, value_name = "COLUMNS", help_heading = DATA)]
    panel: Option<Names>,
    /// Draw only rows with VALUE in COLUMN; repeat the option to allow more values
    #[arg(long = "where", value_name = "COLUMN=VALUE", help_heading = DATA)]
    selections: Vec<Selection>,
    /// Divide each value by the value of this series at the same horizontal position
    #[arg(long, value_name = "SERIES", help_heading = DATA)]
    normalize: Option<String>,
    /// Use a logarithmic horizontal axis
    #[arg(long, help_heading = AXES)]
    log_x: bool,
    /// Use a logarithmic vertical axis
    #[arg(long, help_heading = AXES)]
    log_y: bool,
    /// Axes of several panels
    ///
    /// Default: `free` if the panels show different quantities, otherwise `shared`.
    #[arg(long, value_parser = named::<AxisScale>(), help_heading = AXES)]
    scale: Option<AxisScale>,
    /// Ends of the horizontal axis, in the unit of the column
    #[arg(long, value_name = "LOW..HIGH", allow_hyphen_values = true, help_heading = AXES)]
    x_range: Option<Span>,
    /// Ends of the vertical axis, in the unit of the column
    #[arg(long, value_name = "LOW..HIGH", allow_hyphen_values = true, help_heading = AXES)]
    y_range: Option<Span>,
    /// Draw a line at this value, with an optional label; repeat the option for more lines
    #[arg(long, value_name = "VALUE[=LABEL]", allow_hyphen_values = true, help_heading = AXES)]
    reference: Vec<Reference>,
    /// Title [default: name of the study]
    #[arg(long, value_name = "TEXT", help_heading = TEXTS)]
    title: Option<String>,
    /// Title of the horizontal axis [default: name of the column]
    #[arg(long, value_name = "TEXT", help_heading = TEXTS)]
    x_title: Option<String>,
    /// Title of the vertical axis [default: name of the column]
    #[arg(long, value_name = "TEXT", help_heading = TEXTS)]
    y_title: Option<String>,
    /// Title of the color scale of a heat map [default: name of the column]
    #[arg(long, value_name = "TEXT", help_heading = TEXTS)]
    color_title: Option<String>,
    /// Width and height of the figure in pixels [default: according to the content]
    #[arg(long, value_name = "WIDTHxHEIGHT", help_heading = TEXTS)]
    size: Option<Size>,
}

const DATA: &str = "Data";
const AXES: &str = "Axes";
const TEXTS: &str = "Titles and size";

/// Hint for a figure with too many series or panels.
const CHOOSE: &str = "choose rows with `--where COLUMN=VALUE`, or other columns with `--series` or `--panel`";

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        if global.format.is_some_and(|format| format != Format::Text) {
            let found = "a data format";
            return Err(Error::parameter(
                "format",
                found,
                "no --format, because the ending of the file in `-o` states the format of a figure",
            ));
        }
        let picture = match global.file() {
            Some(path) => {
                Content::Figure.check("output", path)?;
                let picture = Picture::of(path);
                picture.check("output", path.display())?;
                picture
            }
            None => Picture::Svg,
        };
        let output = Output::open(global)?;
        let svg = self.svg().map_err(|error| {
            error.map_refusal(|refusal| match refusal.advice() {
                Some(_) => refusal.hint(CHOOSE),
                None => refusal,
            })
        })?;
        output.answer(picture.encode(svg)?)?;
        Ok(Outcome::Positive)
    }
}

impl Args {
    fn svg(&self) -> Result<String> {
        // Without a selection, a figure shows all rows.
        let most = match self.selections.is_empty() {
            true => plot::MAX_ROWS,
            false => usize::MAX,
        };
        let tables = self.files.iter().map(|file| Table::read_at_most(file, most));
        plot::svg(&tables.collect::<Result<Vec<Table>>>()?, &self.options())
    }

    fn options(&self) -> Options {
        let mut options = Options {
            title: self.title.clone(),
            kind: self.kind,
            x: self.x.clone(),
            y: self.y.clone(),
            series: self.series.clone(),
            panel: self.panel.clone(),
            normalize: self.normalize.clone(),
            reference: self.reference.clone(),
            scale: self.scale,
            log_x: self.log_x,
            log_y: self.log_y,
            x_title: self.x_title.clone(),
            y_title: self.y_title.clone(),
            color_title: self.color_title.clone(),
            x_range: self.x_range,
            y_range: self.y_range,
            size: self.size,
            ..Options::default()
        };
        for Selection { column, value } in &self.selections {
            let values = options.selection.entry(column.clone()).or_default();
            values.0.push(value.clone());
        }
        options
    }
}
