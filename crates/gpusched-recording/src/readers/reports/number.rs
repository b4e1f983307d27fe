//! Numbers in reports.

use gpusched_model::Refusal;
use gpusched_model::time::decimal::Rounding;

use super::Row;
use super::header::TimeColumn;
use crate::model::{Lane, Missing};
use crate::readers::signed::{is_no_value, signed};

/// Reads a time of column `field`, rounded according to `rounding`. The time may be negative. Returns `None` for a
/// cell without a value.
///
/// # Errors
/// Refuses a cell that is not a number.
pub fn time(
    row: &Row<'_>,
    column: Option<TimeColumn>,
    field: &str,
    rounding: Rounding,
) -> Result<Option<i64>, Refusal> {
    let Some(TimeColumn { index, unit }) = column else {
        return Ok(None);
    };
    let text = row.text(Some(index));
    if is_no_value(&text) {
        return Ok(None);
    }
    let ns = signed(&text, unit, rounding);
    ns.map(Some)
        .ok_or_else(|| Refusal::new(field, format!("{text:?}"), "a time"))
}

/// Reads a time of an event as [`time`] does. A cell that is not a number counts as impossible and gives `None`, so that
/// one damaged row does not make a long file useless.
pub fn event_time(
    row: &Row<'_>,
    column: Option<TimeColumn>,
    field: &str,
    rounding: Rounding,
    missing: &mut Missing,
) -> Option<i64> {
    time(row, column, field, rounding).unwrap_or_else(|refusal| {
        missing.impossible(format_args!("line {}: {refusal}", row.1));
        None
    })
}

/// Returns the thread of a row, or `None` without a number in `thread`.
pub fn lane(row: &Row<'_>, process: Option<usize>, thread: Option<usize>) -> Option<Lane> {
    let process = identity(row, process);
    identity(row, thread).map(|thread| Lane::Thread { process, thread })
}

/// Reads a duration of column `field`, rounded up.
///
/// # Errors
/// Refuses a cell that is not a number, or that is negative.
pub fn duration(row: &Row<'_>, column: Option<TimeColumn>, field: &str) -> Result<Option<u64>, Refusal> {
    let value = time(row, column, field, Rounding::Up)?;
    let unsigned = value.map(u64::try_from).transpose();
    unsigned.map_err(|_| Refusal::new(field, value.unwrap_or_default(), "a duration from 0 on"))
}

/// Reads a count of column `field`.
///
/// # Errors
/// Refuses a cell that is not a whole number from 0 to 2^53.
pub fn count(row: &Row<'_>, column: Option<usize>, field: &str) -> Result<u64, Refusal> {
    let text = row.text(column);
    let count = text.parse().ok().filter(|&count: &u64| count <= 1 << 53);
    count.ok_or_else(|| Refusal::new(field, format!("{text:?}"), "a whole number from 0 to 2^53"))
}

/// Reads the last whole number of a cell, for example 4 from `Agent 4` and 0 from `NVIDIA A100 (0)`.
pub fn identity(row: &Row<'_>, column: Option<usize>) -> Option<i64> {
    let text = row.text(column);
    let text = text.trim_end_matches(')');
    let digits = text.len() - text.bytes().rev().take_while(u8::is_ascii_digit).count();
    text.get(digits..)?.parse().ok()
}
