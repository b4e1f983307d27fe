//! Exact conversion of decimal numbers to times that may be negative.

use gpusched_model::time::decimal::{Rounding, nanoseconds};

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
