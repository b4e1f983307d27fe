//! Parsers of numbers. Each error message states the invalid text and the expected value.

use std::fmt::Display;
use std::ops::{Bound, RangeBounds};
use std::str::FromStr;

use gpusched_model::error::excerpt;

/// Returns the error message for the invalid text `found`.
pub fn refused(found: &str, expected: impl Display) -> String {
    let found = if found.is_empty() { "nothing" } else { found };
    format!("found {}, expected {expected}", excerpt(found))
}

/// Returns a parser of a whole number in `range`. If `range` has no upper end, the largest number
/// is 2^64 − 1.
pub fn whole<T>(
    range: impl RangeBounds<T> + Clone + Send + Sync + 'static,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: FromStr + PartialOrd + Display,
{
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| match (range.start_bound(), range.end_bound()) {
            (Bound::Included(least), Bound::Included(most)) => {
                refused(text, format_args!("a whole number from {least} to {most}"))
            }
            (Bound::Included(least), _) => refused(
                text,
                format_args!("a whole number, at least {least} and below 2^64"),
            ),
            _ => refused(text, "a whole number"),
        })
    }
}

/// Parses a number.
///
/// # Errors
/// Fails with a message that contains `text` and states that a number is expected.
pub fn number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| refused(text, "a number"))
}
