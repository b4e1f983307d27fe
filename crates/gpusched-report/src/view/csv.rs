//! CSV form of a table, and rows that are not part of a table.

use std::io;

use gpusched_model::error::{Error, Result};
use serde::Serialize;

use super::Table;

impl Table {
    /// Returns the names of the CSV columns as a header line. The line is empty for a table without such columns.
    pub fn csv_header(&self) -> String {
        let names: Vec<&str> = self.columns.iter().filter_map(|column| column.name).collect();
        if names.is_empty() {
            String::new()
        } else {
            names.join(",") + "\n"
        }
    }

    /// Returns the rows as CSV, without the header.
    ///
    /// # Errors
    /// Fails in the same cases as [`Rows::add`].
    pub fn csv_rows(&self) -> Result<String> {
        let mut rows = Rows::default();
        for row in &self.rows {
            let cells = self.columns.iter().zip(row);
            let cells = cells.filter(|(column, _)| column.name.is_some());
            rows.add(cells.map(|(_, cell)| cell.exact()).collect::<Vec<&str>>())?;
        }
        rows.finish()
    }
}

/// CSV rows.
#[derive(Debug)]
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
    /// Adds a row. Fields may be nested tuples. A value `None` results in an empty field.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] if the number of fields differs from the number of fields of the previous row.
    pub fn add(&mut self, row: impl Serialize) -> Result<()> {
        let written = self.0.serialize(row);
        written.map_err(|cause| unwritten(io::Error::other(cause)))
    }

    /// Returns the rows as text.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] for fields that are not UTF-8.
    pub fn finish(self) -> Result<String> {
        let bytes = self.0.into_inner();
        let bytes = bytes.map_err(|error| unwritten(error.into_error()))?;
        String::from_utf8(bytes).map_err(|error| unwritten(io::Error::other(error)))
    }
}

fn unwritten(cause: io::Error) -> Error {
    Error::io("-", "write", cause)
}
