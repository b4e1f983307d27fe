//! Exact conversion of decimal numbers to times that may be negative, and the texts that mean no value.

use gpusched_model::time::decimal::{Rounding, nanoseconds};

/// Whether `text` is one of the texts that profilers write for a value that they do not have. `NaN`, infinity and `null`
/// are one case. [`Cleaned`](super::Cleaned) writes `[]` for `NaN`.
pub fn is_no_value(text: &str) -> bool {
    let text = text.trim();
    let text = text.strip_prefix("(!)").map_or(text, str::trim_start);
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    let texts = ["", "n/a", "nan", "none", "null", "inf", "infinity", "[]"];
    texts.iter().any(|no_value| text.eq_ignore_ascii_case(no_value))
}

/// Converts `text`, a decimal number in units of 10^`unit` ns with an optional minus sign, to nanoseconds. Returns
/// `None` if the text is not such a number, or if the time is beyond 2^63 − 1 ns.
pub fn signed(text: &str, unit: u32, rounding: Rounding) -> Option<i64> {
    let Some(digits) = text.strip_prefix('-') else {
        return i64::try_from(nanoseconds(text.as_bytes(), unit, rounding)?).ok();
    };
    let opposite = match rounding {
        Rounding::Up => Rounding::Down,
        Rounding::Down => Rounding::Up,
    };
    let ns = i64::try_from(nanoseconds(digits.as_bytes(), unit, opposite)?).ok()?;
    Some(-ns)
}
