//! The rows of tables that pass the filter of a figure.

use std::collections::BTreeMap;

use crate::plot::options::MAX_ROWS;
use crate::plot::values::{Names, accepts};
use crate::table::{CASE_COLUMNS, Column, Table, too_many_rows};
use gpusched_model::error::{Error, Result};

/// The rows of a table that pass the filter of a figure.
pub struct Selected<'t> {
    pub table: &'t Table,
    pub rows: Vec<usize>,
}

/// Selects the rows whose cell in each column of `selection` has one of the values for this column.
///
/// # Errors
/// Fails with [`Error::Refused`] if a column is missing, if a value occurs in no row, or if there are more than
/// [`MAX_ROWS`] rows.
pub fn select<'t>(tables: &'t [Table], selection: &BTreeMap<String, Names>) -> Result<Vec<Selected<'t>>> {
    for (name, Names(values)) in selection {
        let columns = tables.iter().map(|table| table.column(name));
        let columns: Vec<Column<'_>> = columns.collect::<Result<_>>()?;
        for value in values {
            // A value that occurs in no table would select no row.
            let mut cells = columns.iter().flat_map(Column::distinct);
            if !cells.any(|cell| accepts(value, cell)) {
                let known: Vec<String> = columns.iter().map(Column::examples).collect();
                let expected = format!("one of {}", known.join(", "));
                return Err(Error::parameter(
                    name,
                    format!("no row with {name} = {value}"),
                    expected,
                ));
            }
        }
    }
    let mut selected = Vec::new();
    for table in tables {
        let mut rows: Vec<usize> = (0..table.len()).collect();
        for (name, Names(values)) in selection {
            let column = table.column(name)?;
            rows.retain(|&row| values.iter().any(|value| accepts(value, column.text(row))));
        }
        selected.push(Selected { table, rows });
    }
    match selected.iter().map(|selected| selected.rows.len()).sum::<usize>() {
        0..=MAX_ROWS => Ok(selected),
        _ => Err(too_many_rows(MAX_ROWS).into()),
    }
}

impl<'t> Selected<'t> {
    /// Returns the columns that distinguish the rows. Such a column has filled cells that are not all equal. In results
    /// of cases, these are the columns before `quantity`. In other tables, these columns contain texts.
    pub fn keys(&self) -> impl Iterator<Item = &'t str> {
        let table = self.table;
        let columns = table.columns().iter().map(String::as_str);
        let of_cases = is_of_cases(table);
        let is_key = move |name: &&str| match of_cases {
            true => !CASE_COLUMNS.contains(name) || *name == "case",
            false => *name != "study" && table.find(name).is_some_and(|column| !column.is_numeric()),
        };
        columns
            .filter(is_key)
            .filter(|name| self.is_filled(name) && self.varies(name))
    }

    fn cells(&self, name: &str) -> impl Iterator<Item = &'t str> {
        let column: Option<Column<'t>> = self.table.find(name);
        column
            .into_iter()
            .flat_map(|column| self.rows.iter().map(move |&row| column.text(row)))
    }

    /// Returns whether the table has the column `name`, and each selected row has a filled cell in this column.
    pub fn is_filled(&self, name: &str) -> bool {
        self.table.find(name).is_some() && self.cells(name).all(|cell| !cell.is_empty())
    }

    pub fn varies(&self, name: &str) -> bool {
        let mut cells = self.cells(name);
        let first = cells.next();
        cells.any(|cell| Some(cell) != first)
    }
}

/// Returns whether a table contains the results of cases.
pub fn is_of_cases(table: &Table) -> bool {
    CASE_COLUMNS.iter().all(|name| table.find(name).is_some())
}
