//! Comparison of stated values with recomputed values.

use gpusched_model::counted;
use gpusched_model::time::Time;

use crate::fault::Fault;

/// Formats a bound for a message.
fn shown(bound: Option<u128>) -> String {
    bound.map_or("null".to_owned(), |bound| format!("{bound} ns"))
}

/// Converts a time for a comparison with a bound.
pub(super) fn number(time: Option<Time>) -> Option<u128> {
    time.map(|time| time.ns().into())
}

/// Checks that a bound equals the bound that follows from the table.
pub(super) fn same_bound(field: &str, found: Option<u128>, expected: Option<u128>) -> Result<(), Fault> {
    if found == expected {
        return Ok(());
    }
    let message = format!("found {}, expected {}", shown(found), shown(expected));
    Err(Fault::new(field, message))
}

/// Checks that the list `field` has one entry for each `noun`.
pub(super) fn same_length(field: &str, found: usize, expected: usize, noun: &str) -> Result<(), Fault> {
    if found == expected {
        return Ok(());
    }
    let entries = match found {
        1 => "1 entry".to_owned(),
        _ => format!("{found} entries"),
    };
    let message = format!(
        "found {entries}, expected one for each of {}",
        counted(expected, noun)
    );
    Err(Fault::new(field, message))
}
