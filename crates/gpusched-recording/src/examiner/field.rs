//! Values of fields, and errors that state the place and the value.

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::document::{Fault, SECONDS, line_of};
use gpusched_model::time::Time;
use gpusched_model::time::decimal::{Rounding, nanoseconds};

/// Expected value of a number, for errors.
pub(super) const NUMBER: &str = "a number from 0 on";

/// Returns the value of `field`, or `None` if the field is absent.
pub(super) fn value<T: DeserializeOwned>(
    text: &str,
    field: &'static str,
    raw: Option<&RawValue>,
    expected: &str,
) -> Result<Option<T>, Fault> {
    let Some(raw) = raw.filter(|raw| raw.get() != "null") else {
        return Ok(None);
    };
    let read = serde_json::from_str(raw.get());
    read.map(Some).map_err(|_| refuse(text, field, raw, expected))
}

/// Returns the value of `field`, which must be present. If the field is absent, the error states line `line`.
pub(super) fn required<T: DeserializeOwned>(
    text: &str,
    field: &'static str,
    raw: Option<&RawValue>,
    expected: &str,
    line: Option<u64>,
) -> Result<T, Fault> {
    value(text, field, raw, expected)?.ok_or_else(|| Fault {
        line,
        field,
        message: format!("found none, expected {expected}"),
    })
}

/// Returns an error about `field`, whose value `raw` is invalid.
pub(super) fn refuse(text: &str, field: &'static str, raw: &RawValue, expected: &str) -> Fault {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let found: String = raw.get().chars().take(40).map(clean).collect();
    Fault {
        line: Some(line_of(text, raw.get())),
        field,
        message: format!("found {found}, expected {expected}"),
    }
}

/// Parses a time in seconds.
pub(super) fn time(
    text: &str,
    field: &'static str,
    raw: &RawValue,
    rounding: Rounding,
) -> Result<Time, Fault> {
    nanoseconds(raw.get().as_bytes(), SECONDS, rounding)
        .map(Time::from_ns)
        .ok_or_else(|| refuse(text, field, raw, "a time from 0 on [s]"))
}
