//! Text cells of CSV files that a spreadsheet would take as formulas.
//!
//! A spreadsheet evaluates a cell that begins with `=`, `+`, `-`, `@`, a tab or a carriage return. A name in an input
//! file could therefore execute a formula in the spreadsheet of somebody else. gpusched writes an apostrophe before such
//! a cell, and removes the apostrophe when it reads the cell. Numbers such as -1 stay as they are.

use std::borrow::Cow;

/// Returns whether a spreadsheet takes `cell` as a formula. Apostrophes before the formula do not count, so that each
/// cell has one form in files. A `-` is no formula: gpusched writes it for standard input and for missing values.
fn is_formula(cell: &str) -> bool {
    let formula = cell
        .trim_start_matches('\'')
        .starts_with(['=', '+', '-', '@', '\t', '\r']);
    formula && cell != "-" && !cell.parse().is_ok_and(f64::is_finite)
}

/// Returns `cell` as gpusched writes it to a CSV file.
pub fn shielded(cell: &str) -> Cow<'_, str> {
    match is_formula(cell) {
        true => format!("'{cell}").into(),
        false => cell.into(),
    }
}

/// Returns the original text of `cell` in a CSV file.
pub fn original(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(text) if is_formula(text) => text,
        _ => cell,
    }
}

/// Returns whether a cell of the CSV text `rows` may begin with a formula. This test is fast, and may be true although
/// no cell needs an apostrophe.
pub fn may_have_formula(rows: &[u8]) -> bool {
    let starts = |before: u8| matches!(before, b',' | b'\n' | b'\r' | b'"');
    let formula = |byte: u8| matches!(byte, b'=' | b'+' | b'-' | b'@' | b'\t' | b'\r' | b'\'');
    let first = rows.first().is_some_and(|&byte| formula(byte));
    first || rows.windows(2).any(|pair| starts(pair[0]) && formula(pair[1]))
}
