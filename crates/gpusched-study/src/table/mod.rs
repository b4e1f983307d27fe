//! A table of results: a CSV file with a header. A table keeps all cells as text, and converts a cell to a number only
//! when gpusched uses the cell.
//!
//! An empty cell is a missing value. For example, the mean number of SMs is missing if no task set
//! is schedulable.

mod columns;
mod comparison;
mod weighted;
pub mod wilson;
mod writer;

pub use columns::{CASE_COLUMNS, COLUMNS, TIMING_COLUMNS};
pub(crate) use columns::{OF_METRIC, is_of_axis};
pub use comparison::{Compared, Comparison, compare};
pub use weighted::{WEIGHTED_COLUMNS, weighted};
pub(super) use weighted::{Weighted, table as weighted_table};
pub(super) use writer::csv_of;

use std::cell::RefCell;
use std::collections::{HashSet, VecDeque};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::spreadsheet;

/// A table of results. The rows are numbered from 0 in the order of the file.
///
/// The cells are one text, so a table needs little more memory than its file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    file: String,
    columns: Vec<String>,
    /// All cells, row by row, without separators.
    text: String,
    /// End of each cell in `text` [bytes].
    ends: Vec<u32>,
    /// Number of the line on which each row starts in the file. The first line has number 1.
    lines: Vec<u32>,
}

/// Maximum size of the cells of a table [bytes].
const MAX_BYTES: usize = u32::MAX as usize;

impl Table {
    /// Reads the CSV file at `path`. The path `-` means standard input.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] if the file cannot be read, and under the same conditions as [`Table::from_reader`].
    pub fn read(path: impl AsRef<Path>) -> Result<Table> {
        let path = path.as_ref();
        Table::read_at_most(path, usize::MAX)
    }

    /// Reads the CSV file at `path` as [`Table::read`] does, but refuses a file with more than `rows` rows.
    ///
    /// # Errors
    /// Fails in the same cases as [`Table::read`], and with [`Error::Refused`] at the first row that is too many.
    pub fn read_at_most(path: impl AsRef<Path>, rows: usize) -> Result<Table> {
        let path = path.as_ref();
        if path.as_os_str() == "-" {
            return Table::of("-", io::stdin().lock(), rows);
        }
        let file = File::open(path).map_err(|cause| Error::io(path, "read", cause))?;
        Table::of(&path.display().to_string(), file, rows)
    }

    /// Reads CSV text from `reader`. Error messages call the table `file`.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] if `reader` fails. Fails with [`Error::Refused`] if the header is missing, or if the name
    /// of a column is empty or repeated. Also fails if a row has more or fewer fields than the header, or if the text is
    /// not UTF-8, or if the cells have more than 4 GiB.
    pub fn from_reader(file: &str, reader: impl Read) -> Result<Table> {
        Table::of(file, reader, usize::MAX)
    }

    fn of(file: &str, reader: impl Read, most: usize) -> Result<Table> {
        let starts = RefCell::new(Starts::default());
        let mut csv = csv::Reader::from_reader(Noting {
            reader,
            starts: &starts,
        });
        let fail = |line, message: String| Refusal::told("", message).at(file, line);
        let failed = |error: csv::Error, line: Option<usize>| match error.into_kind() {
            csv::ErrorKind::Io(cause) => Error::io(file, "read", cause),
            kind => fail(line, describe(&kind)).into(),
        };

        let header = csv.headers().map_err(|error| failed(error, Some(1)))?;
        let columns: Vec<String> = header.iter().map(str::to_owned).collect();
        if columns.is_empty() {
            return Err(fail(
                None,
                "found an empty file, expected CSV with a header line".to_owned(),
            )
            .into());
        }
        let mut seen = HashSet::new();
        for (index, column) in columns.iter().enumerate() {
            if column.is_empty() {
                return Err(fail(Some(1), format!("column {} has no name", index + 1)).into());
            }
            if !seen.insert(column) {
                return Err(fail(Some(1), format!("two columns are called `{column}`")).into());
            }
        }

        let mut table = Table {
            file: file.to_owned(),
            columns,
            text: String::new(),
            ends: Vec::new(),
            lines: Vec::new(),
        };
        let mut record = csv::StringRecord::new();
        loop {
            let more = csv.read_record(&mut record).map_err(|error| {
                let line = error
                    .position()
                    .map(|position| starts.borrow_mut().line(position.byte()));
                failed(error, line)
            })?;
            if !more {
                return Ok(table);
            }
            let line = record
                .position()
                .map_or(0, |position| starts.borrow_mut().line(position.byte()));
            if table.len() == most {
                return Err(too_many_rows(most).at(file, Some(line)).into());
            }
            if table.text.len() + record.as_slice().len() > MAX_BYTES {
                let found = format!("cells of more than {MAX_BYTES} bytes");
                let refusal = Refusal::new("", found, format!("at most {MAX_BYTES} bytes"));
                return Err(refusal.at(file, Some(line)).into());
            }
            table.lines.push(u32::try_from(line).unwrap_or(u32::MAX)); // below the limit on bytes
            for cell in &record {
                table.text.push_str(spreadsheet::original(cell));
                table.ends.push(table.text.len() as u32);
            }
        }
    }

    /// Returns the name of the file, as the user stated it.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Returns the names of the columns in the order of the file.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Returns the number of rows. The header does not count.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Returns whether the table has no rows.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns the number of the line on which `row` starts in the file. The first line has number 1.
    pub fn line(&self, row: usize) -> Option<usize> {
        self.lines.get(row).map(|&line| line as usize)
    }

    /// Returns the column called `name`, or `None` if the table has no such column.
    pub fn find(&self, name: &str) -> Option<Column<'_>> {
        let position = |name: &str| self.columns.iter().position(|column| column == name);
        let other = match name {
            "variant" => "reading",
            "reading" => "variant",
            name => name,
        };
        let index = position(name).or_else(|| position(other))?;
        Some(Column { table: self, index })
    }

    /// Returns the column called `name`, or an error.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if the table has no such column. The error lists the existing columns.
    pub fn column(&self, name: &str) -> Result<Column<'_>> {
        self.find(name).ok_or_else(|| {
            let expected = format!("one of {}", self.columns.join(", "));
            self.error(None, Refusal::new("", format!("no column `{name}`"), expected))
        })
    }

    /// Returns `refusal` as an error that states the name of the table and the line of `row`.
    pub fn error(&self, row: Option<usize>, refusal: Refusal) -> Error {
        let line = row.and_then(|row| self.line(row));
        refusal.at(&self.file, line).into()
    }
}

/// One column of a [`Table`].
#[derive(Copy, Clone, Debug)]
pub struct Column<'t> {
    table: &'t Table,
    index: usize,
}

impl<'t> Column<'t> {
    /// Returns the name of the column in the header.
    pub fn name(&self) -> &'t str {
        self.table.columns.get(self.index).map_or("", String::as_str)
    }

    /// Returns the cell in `row` as text. If `row` is beyond the last row, the text is empty.
    pub fn text(&self, row: usize) -> &'t str {
        let cell = row * self.table.columns.len() + self.index;
        let end = |cell: usize| self.table.ends.get(cell).map(|&end| end as usize);
        let start = match cell {
            0 => Some(0),
            _ => end(cell - 1),
        };
        start
            .zip(end(cell))
            .and_then(|(start, end)| self.table.text.get(start..end))
            .unwrap_or("")
    }

    /// Returns the cell in `row` as a number, or `None` if the cell is empty.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if the cell is filled and is not a finite number.
    pub fn number(&self, row: usize) -> Result<Option<f64>> {
        let text = self.text(row);
        if text.is_empty() {
            return Ok(None);
        }
        parse(text)
            .map(Some)
            .ok_or_else(|| self.error(row, "a finite number"))
    }

    /// Returns an error about the cell in `row`. The error states the text of the cell and the text `expected`.
    pub(crate) fn error(&self, row: usize, expected: &str) -> Error {
        let found = format!("\"{}\"", self.text(row));
        self.table
            .error(Some(row), Refusal::new(self.name(), found, expected))
    }

    /// Returns whether the column contains numbers. Then at least one cell is filled, and every filled cell is a finite
    /// number.
    pub fn is_numeric(&self) -> bool {
        let mut filled = self.cells().filter(|cell| !cell.is_empty()).peekable();
        filled.peek().is_some() && filled.all(|cell| parse(cell).is_some())
    }

    /// Returns the different texts in this column, in the order of their first occurrence.
    pub fn distinct(&self) -> Vec<&'t str> {
        let mut seen = HashSet::new();
        self.cells().filter(|cell| seen.insert(*cell)).collect()
    }

    /// Returns the first few different texts in this column as a list for messages, such as `"SMS-INA", "1G", …`.
    pub fn examples(&self) -> String {
        let distinct = self.distinct();
        let mut examples: Vec<String> = distinct
            .iter()
            .take(EXAMPLES)
            .map(|text| format!("\"{text}\""))
            .collect();
        if distinct.len() > EXAMPLES {
            examples.push("…".to_owned());
        }
        examples.join(", ")
    }

    fn cells(self) -> impl Iterator<Item = &'t str> {
        (0..self.table.len()).map(move |row| self.text(row))
    }
}

/// Returns the refusal of more than `most` rows.
pub(crate) fn too_many_rows(most: usize) -> Refusal {
    let refusal = Refusal::new(
        "",
        format!("more than {most} rows"),
        format!("at most {most} rows"),
    );
    refusal.hint("select rows by the value of a column")
}

/// Maximum number of values that a message lists.
const EXAMPLES: usize = 12;

fn parse(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

fn describe(error: &csv::ErrorKind) -> String {
    match error {
        csv::ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => {
            format!("found {len} fields, expected {expected_len} as in the header")
        }
        csv::ErrorKind::Utf8 { .. } => "found bytes that are not UTF-8, expected UTF-8 text".to_owned(),
        kind => format!("{kind:?}"),
    }
}

/// Reader that notes the line ends of its bytes.
struct Noting<'s, R> {
    reader: R,
    starts: &'s RefCell<Starts>,
}

impl<R: Read> Read for Noting<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.starts
            .borrow_mut()
            .note(buffer.get(..count).unwrap_or_default());
        Ok(count)
    }
}

/// Lines that the table has read, but not yet used. The line numbers of the csv crate are one too small after `\r\n`,
/// and for rows after empty lines.
#[derive(Default)]
struct Starts {
    /// Number of bytes read.
    read: u64,
    /// Number of line ends before `next`.
    before: usize,
    /// Positions of line ends from the last used position on.
    next: VecDeque<(u64, u8)>,
}

impl Starts {
    fn note(&mut self, bytes: &[u8]) {
        for (at, &byte) in (self.read..).zip(bytes) {
            if byte == b'\n' || byte == b'\r' {
                self.next.push_back((at, byte));
            }
        }
        self.read += bytes.len() as u64;
    }

    /// Finds the first byte at or after `position` that is not part of a line end, and returns the number of its line.
    /// The positions of successive calls must ascend.
    fn line(&mut self, position: u64) -> usize {
        let mut start = position;
        while let Some(&(at, byte)) = self.next.front() {
            if at > start {
                break;
            }
            self.next.pop_front();
            self.before += usize::from(byte == b'\n');
            if at == start {
                start += 1;
            }
        }
        self.before + 1
    }
}
