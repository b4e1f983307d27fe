//! The table of results of a study of cases.

use super::{Case, Cases};
use crate::definition::tables::Tables;
use crate::measures::Row;
use crate::table::CASE_COLUMNS;
use crate::table::csv_of;
use gpusched_model::error::Result;

/// Number of columns in [`CASE_COLUMNS`] that precede the columns of the metrics.
const BEFORE: usize = 3;

/// Returns all columns of a table whose metrics have the columns `keys`.
pub(super) fn columns(keys: &[&'static str]) -> Vec<&'static str> {
    let (before, after) = CASE_COLUMNS.split_at(BEFORE);
    [before, keys, after].concat()
}

/// Returns the rows of one case. Each cell is a text.
pub(super) fn cells(name: &str, study: &Cases, case: &Case, rows: &[Row]) -> Vec<Vec<String>> {
    let cell = |row: &Row, column: &str| match column {
        "study" => name.to_owned(),
        "case" => case.name().to_owned(),
        "measure" => case.measure().to_owned(),
        "quantity" => row.quantity.to_owned(),
        "value" => row.value.clone(),
        "unit" => row.unit.to_owned(),
        "published" => row.published.map(|value| value.to_string()).unwrap_or_default(),
        "deviation" => row.deviation(),
        key => row.key(key).to_owned(),
    };
    let rows = rows.iter();
    rows.map(|row| study.columns.iter().map(|column| cell(row, column)).collect())
        .collect()
}

/// Returns the table of a completed study.
pub(crate) fn tables(name: &str, study: &Cases, rows: Vec<Vec<String>>) -> Result<Tables> {
    Ok(Tables {
        results: csv_of(name, &study.columns, rows)?,
        timing: None,
        paired: None,
        weighted: None,
    })
}

/// Returns the table of the study with arbitrary numbers, for a check of its claims before the study runs.
pub(crate) fn made_up(name: &str, study: &Cases) -> Result<Tables> {
    tables(name, study, study.outline(name)?)
}
