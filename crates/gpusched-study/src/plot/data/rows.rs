//! Rows of the tables that a figure shows.

use super::choice::Choice;
use super::selection::Selected;
use super::{MAX_PANELS, index_of};
use crate::plot::values::MAX_VALUE;
use crate::table::{Column, Table};
use gpusched_model::error::{Error, Refusal, Result};

/// One row of a table, as the figure uses it.
pub struct Row<'t> {
    pub table: &'t Table,
    pub row: usize,
    /// Index of the panel.
    pub panel: usize,
    /// Index of the series.
    pub series: usize,
    /// Text on the horizontal axis. Empty if the figure uses no such column.
    pub x: &'t str,
    /// The text on the horizontal axis as a number. `None` if the text is not a number.
    pub number: Option<f64>,
    /// Value. `None` if the cell is empty.
    pub y: Option<f64>,
    /// Confidence interval of the value, if the table has one.
    pub band: Option<(f64, f64)>,
}

impl Row<'_> {
    /// Returns `refusal` as an error that states the name of the table and the line of this row.
    pub fn error(&self, refusal: Refusal) -> Error {
        self.table.error(Some(self.row), refusal)
    }

    /// Returns the file and the line of this row.
    pub fn place(&self) -> String {
        let line = self.table.line(self.row).unwrap_or(0);
        format!("{}:{line}", self.table.file())
    }
}

/// The rows of a figure, with the names of its panels and series in the order of their first occurrence.
pub struct Rows<'t> {
    pub rows: Vec<Row<'t>>,
    pub panels: Vec<String>,
    pub series: Vec<String>,
    pub studies: Vec<&'t str>,
}

/// Reads the selected rows, with at most `most_series` series. Panels and series without any value are absent.
///
/// # Errors
/// Fails with [`Error::Refused`] if a column is missing, if a cell is not a number, if there is no value, or if there
/// are too many panels or series.
pub fn read<'t>(selected: &[Selected<'t>], choice: &Choice, most_series: usize) -> Result<Rows<'t>> {
    let mut all = Rows {
        rows: Vec::new(),
        panels: Vec::new(),
        series: Vec::new(),
        studies: Vec::new(),
    };
    let mut count = 0;
    for Selected { table, rows } in selected {
        let columns = Columns::find(table, choice)?;
        count += rows.len();
        // The names of panels and series come from rows with values, so that no panel and no series is empty.
        let (mut named, mut empty) = (Vec::new(), Vec::new());
        for &row in rows {
            let y = number(table, row, columns.y)?;
            let (panel, series) = (titled(&columns.panel, row), joined(&columns.series, row));
            match y {
                Some(_) => named.push((row, y, panel, series)),
                None => empty.push((row, y, panel, series)),
            }
        }
        for (row, y, panel, series) in named.into_iter().chain(empty) {
            if y.is_none() && !(all.panels.contains(&panel) && all.series.contains(&series)) {
                continue;
            }
            let panel = index_of(&mut all.panels, panel);
            let series = index_of(&mut all.series, series);
            check_count(all.series.len(), most_series, "series", &choice.series)?;
            check_count(all.panels.len(), MAX_PANELS, "panels", &choice.panel)?;
            if let Some(study) = columns.study.map(|column| column.text(row)) {
                index_of(&mut all.studies, study);
            }
            let x = columns.x.map_or("", |column| column.text(row));
            if let Some(column) = columns.x.filter(|_| x.is_empty()) {
                let refusal = Refusal::new(column.name(), "an empty cell", "a value for the horizontal axis");
                return Err(table.error(Some(row), refusal));
            }
            let number_of_x = match columns.x {
                Some(column) if x.parse::<f64>().is_ok_and(f64::is_finite) => number(table, row, column)?,
                _ => None,
            };
            let band = match columns.band {
                Some((low, high)) => number(table, row, low)?.zip(number(table, row, high)?),
                None => None,
            };
            all.rows.push(Row {
                table,
                row,
                panel,
                series,
                x,
                number: number_of_x,
                y,
                band,
            });
        }
    }
    if all.rows.is_empty() {
        let found = match count {
            0 => "no rows",
            _ => "only empty cells",
        };
        return Err(Error::parameter(&choice.y, found, "values to draw"));
    }
    Ok(all)
}

/// Returns the number in a cell, or `None` if the cell is empty.
fn number(table: &Table, row: usize, column: Column<'_>) -> Result<Option<f64>> {
    match column.number(row)? {
        Some(value) if value.abs() > MAX_VALUE => {
            let expected = format!("a number within ±{MAX_VALUE:e}, the range of an axis");
            Err(table.error(Some(row), Refusal::new(column.name(), value, expected)))
        }
        value => Ok(value),
    }
}

/// Returns the name of a series: the filled cells of a row.
fn joined(columns: &[Column<'_>], row: usize) -> String {
    let cells = columns.iter().map(|column| column.text(row));
    let cells: Vec<&str> = cells.filter(|cell| !cell.is_empty()).collect();
    cells.join(" ")
}

/// Returns the cells of a row as the title of a panel. The name of the column precedes each number.
fn titled(columns: &[Column<'_>], row: usize) -> String {
    let cells = columns.iter().map(|column| {
        let (name, text) = (column.name(), column.text(row));
        match text.parse::<f64>() {
            Ok(_) => format!("{name} = {text}"),
            Err(_) => text.to_owned(),
        }
    });
    let cells: Vec<String> = cells.filter(|cell| !cell.is_empty()).collect();
    cells.join(", ")
}

fn check_count(count: usize, limit: usize, what: &str, columns: &[String]) -> Result<()> {
    if count <= limit {
        return Ok(());
    }
    let columns = columns.join(", ");
    let (found, expected) = (format!("more than {limit} {what}"), format!("at most {limit}"));
    let refusal = Refusal::new(&columns, found, expected);
    let hint = format!("select rows by the value of `{columns}`");
    Err(refusal.hint(hint).into())
}

/// The columns of one table that a figure uses.
struct Columns<'t> {
    x: Option<Column<'t>>,
    y: Column<'t>,
    series: Vec<Column<'t>>,
    panel: Vec<Column<'t>>,
    study: Option<Column<'t>>,
    /// Columns with the lower end and the upper end of the confidence interval of y.
    band: Option<(Column<'t>, Column<'t>)>,
}

impl<'t> Columns<'t> {
    fn find(table: &'t Table, choice: &Choice) -> Result<Columns<'t>> {
        // Studies write the confidence interval of `rate` into columns whose names start with `ci`.
        let stem = if choice.y == "rate" { "ci" } else { &choice.y };
        let all = |names: &[String]| -> Result<Vec<Column<'t>>> {
            names.iter().map(|name| table.column(name)).collect()
        };
        Ok(Columns {
            x: choice.x.as_ref().map(|name| table.column(name)).transpose()?,
            y: table.column(&choice.y)?,
            series: all(&choice.series)?,
            panel: all(&choice.panel)?,
            study: table.find("study"),
            band: table
                .find(&format!("{stem}_low"))
                .zip(table.find(&format!("{stem}_high"))),
        })
    }
}
