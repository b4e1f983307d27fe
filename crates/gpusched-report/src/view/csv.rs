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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Cell;
    use anstyle::Style;
    use gpusched_model::time::Time;

    #[test]
    fn text_and_csv_show_their_columns() {
        let rows = [("a, b", Some(Time::from_ns(1_500))), ("c", None)];
        let table = Table::of(&rows)
            .exact("set", |_| 0_u32)
            .text(("task", "name"), |(name, _)| *name)
            .foot("all")
            .time(("C(m)", "wcet_ns"), |(_, time)| Cell::or(*time, "-"))
            .number("rank", |(name, _)| name.len())
            .when(false, |table| table.text("none", |_| ""));
        let table = table.done();
        assert_eq!(table.csv_header(), "set,name,wcet_ns\n");
        assert_eq!(table.csv_rows().unwrap(), "0,\"a, b\",1500\n0,c,\n");
        let text = "  task   C(m)  rank\n  a, b  1.5us     4\n  c         -     1\n  all\n";
        assert_eq!(table.render(Style::new()), text);
    }
}
