//! Writes results in the requested format to the requested destination.

mod assumptions;
mod columns;
mod growing;
mod output;
mod palette;
mod path;
mod picture;
pub mod profile_columns;
mod progress;
mod progress_lines;
mod timeline_files;

pub use assumptions::{Shown, numbered, numbered_for};
pub use columns::Columns;
pub use growing::Growing;
pub use output::Output;
pub use palette::Palette;
pub use path::{Content, OutputPath};
pub use picture::Picture;
pub use progress::Progress;
pub use timeline_files::TimelineFiles;

use std::io;

use serde::Serialize;

use crate::{Format, Global};
use gpusched_model::TaskSet;
use gpusched_model::error::{Error, Result};
use gpusched_model::task_table;
pub use gpusched_report::view::{Cell, Draft, Rows, Table, clip, wrap};

/// A result that gpusched can write as text, JSON and CSV.
pub trait Report: Serialize + Sized {
    /// Returns the result as complete lines of JSON.
    fn json(&self) -> Result<String> {
        json_lines([self])
    }

    /// Returns the table whose named columns are the CSV form of the result. The default has no columns. It is for
    /// simulations that write their rows while they run.
    fn table(&self) -> Table {
        Table::default()
    }

    /// Returns the result as complete lines of text.
    fn text(&self, palette: &Palette) -> Result<String>;
}

/// A result, with further data that only the text form and the CSV form need. JSON contains only the result.
#[derive(Serialize)]
#[serde(transparent)]
pub struct About<S, A>(#[serde(skip)] pub S, pub A);

/// Format of results, and colors of text.
#[derive(Copy, Clone, Debug)]
pub struct Form {
    format: Format,
    palette: Palette,
}

impl Form {
    /// Returns the form that `global` selects.
    pub fn of(global: &Global) -> Form {
        Form {
            format: global.format(),
            palette: Palette::of(global),
        }
    }

    /// Returns this form with another format.
    pub fn with(self, format: Format) -> Form {
        Form { format, ..self }
    }

    /// Whether results are CSV.
    pub fn is_csv(&self) -> bool {
        self.format == Format::Csv
    }

    /// Renders `report` in this form. CSV starts with a header if `is_first` is true.
    ///
    /// # Errors
    /// Fails if the report cannot be rendered.
    pub fn render(&self, report: &impl Report, is_first: bool) -> Result<String> {
        match self.format {
            Format::Json => report.json(),
            Format::Csv => {
                let table = report.table();
                let header = is_first.then(|| table.csv_header());
                Ok(header.unwrap_or_default() + &table.csv_rows()?)
            }
            Format::Text => report.text(&self.palette),
        }
    }
}

/// Returns JSON with one line for each of `values`.
///
/// # Errors
/// Fails with [`Error::Io`] for a value without a JSON form.
pub fn json_lines<T: Serialize>(values: impl IntoIterator<Item = T>) -> Result<String> {
    let mut bytes = Vec::new();
    for value in values {
        serde_json::to_writer(&mut bytes, &value).map_err(|cause| unwritten(cause.into()))?;
        bytes.push(b'\n');
    }
    text(bytes)
}

/// Writes task sets as JSONL, or as one CSV table if the format is CSV.
///
/// # Errors
/// Fails if writing fails, and with [`Error::Refused`] for a set that a table cannot contain.
pub fn task_sets(global: &Global, sets: impl IntoIterator<Item = Result<TaskSet>>) -> Result<()> {
    let mut output = Output::open(global)?;
    if global.format() == Format::Csv {
        let sets = sets.into_iter().collect::<Result<Vec<TaskSet>>>()?;
        return output.answer(task_table::csv(&sets)?);
    }
    for set in sets {
        if !output.has_reader() {
            break;
        }
        output.write(json_lines([set?])?)?;
    }
    output.finish()
}

/// Returns `value` as JSON on several lines.
///
/// # Errors
/// Fails with [`Error::Io`] for a value without a JSON form.
pub fn json_document(value: &impl Serialize) -> Result<String> {
    let json = serde_json::to_string_pretty(value).map_err(|cause| unwritten(cause.into()))?;
    Ok(json + "\n")
}

fn text(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|error| unwritten(io::Error::other(error)))
}

fn unwritten(cause: io::Error) -> Error {
    Error::io("-", "write", cause)
}
