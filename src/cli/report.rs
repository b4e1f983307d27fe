//! Answers in the format that is asked for, and where they go.

mod output;
mod palette;
mod path;
mod table;

pub use output::Output;
pub use palette::Palette;
pub use path::{Content, OutputPath};
pub use table::{Column, Table, clip, wrap};

use std::io;

use serde::Serialize;

use super::{Format, Global};
use crate::error::{Error, Result};

/// An answer in its three forms. JSON is what it serializes to.
pub trait Report: Serialize {
    /// Its JSON, whole lines.
    ///
    /// # Errors
    /// A value that JSON cannot say.
    fn json(&self) -> Result<String> {
        json_line(self)
    }

    /// Adds its rows of CSV. There are none where the rows are written while a simulation goes on.
    ///
    /// # Errors
    /// Those of [`Rows::add`].
    fn rows(&self, _rows: &mut Rows) -> Result<()> {
        Ok(())
    }

    /// These rows as text.
    ///
    /// # Errors
    /// Those of [`Rows::add`].
    fn csv(&self) -> Result<String> {
        let mut rows = Rows::default();
        self.rows(&mut rows)?;
        rows.finish()
    }

    /// What people read, whole lines.
    ///
    /// # Errors
    /// What can only be said after another computation, which fails.
    fn text(&self, palette: &Palette) -> Result<String>;
}

/// An answer, after what it is about. JSON says the answer alone.
#[derive(Serialize)]
#[serde(transparent)]
pub struct About<S, A>(#[serde(skip)] pub S, pub A);

/// The form of answers: a format, and for people the colors.
#[derive(Copy, Clone, Debug)]
pub struct Form {
    format: Format,
    palette: Palette,
}

impl Form {
    /// The form that `global` asks for.
    pub fn of(global: &Global) -> Form {
        Form {
            format: global.format(),
            palette: Palette::of(global),
        }
    }

    /// What stands before the first answer: in CSV the `columns`, separated by commas.
    pub fn header(&self, columns: &str) -> String {
        match self.format {
            Format::Csv => format!("{columns}\n"),
            Format::Json | Format::Text => String::new(),
        }
    }

    /// `report` in this form.
    ///
    /// # Errors
    /// Those of the report.
    pub fn render(&self, report: &impl Report) -> Result<String> {
        match self.format {
            Format::Json => report.json(),
            Format::Csv => report.csv(),
            Format::Text => report.text(&self.palette),
        }
    }
}

/// Rows of CSV.
pub struct Rows(csv::Writer<Vec<u8>>);

impl Default for Rows {
    fn default() -> Rows {
        Rows(
            csv::WriterBuilder::new()
                .has_headers(false)
                .from_writer(Vec::new()),
        )
    }
}

impl Rows {
    /// Adds a row; what is empty or absent has an empty field.
    ///
    /// # Errors
    /// [`Error::Io`] for a row with another number of fields than the one before.
    pub fn add(&mut self, row: impl Serialize) -> Result<()> {
        let written = self.0.serialize(row);
        written.map_err(|cause| unwritten(io::Error::other(cause)))
    }

    /// The rows as text.
    ///
    /// # Errors
    /// [`Error::Io`] for fields that are not UTF-8.
    pub fn finish(self) -> Result<String> {
        let bytes = self
            .0
            .into_inner()
            .map_err(|error| unwritten(error.into_error()))?;
        String::from_utf8(bytes).map_err(|error| unwritten(io::Error::other(error)))
    }
}

/// `value` on one line of JSON.
///
/// # Errors
/// [`Error::Io`] for a value that JSON cannot say.
pub fn json_line(value: &(impl Serialize + ?Sized)) -> Result<String> {
    ended(serde_json::to_string(value))
}

/// `value` as JSON on many lines.
///
/// # Errors
/// [`Error::Io`] for a value that JSON cannot say.
pub fn json_document(value: &impl Serialize) -> Result<String> {
    ended(serde_json::to_string_pretty(value))
}

fn ended(json: serde_json::Result<String>) -> Result<String> {
    let json = json.map_err(|cause| unwritten(cause.into()))?;
    Ok(json + "\n")
}

fn unwritten(cause: io::Error) -> Error {
    Error::io("-", "write", cause)
}
