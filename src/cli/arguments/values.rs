//! Numbers on the command line. What is wrong with a text says what was found and what was expected.

use std::fmt::Display;
use std::ops::{Bound, RangeBounds};
use std::str::FromStr;

use crate::error::excerpt;

/// What is wrong with `found`, where a value was `expected`.
pub fn refused(found: &str, expected: impl Display) -> String {
    let found = if found.is_empty() { "nothing" } else { found };
    format!("found {}, expected {expected}", excerpt(found))
}

/// A whole number in `range`; without an end, one of 64 bits.
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

/// A number.
///
/// # Errors
/// What was expected of any other text.
pub fn number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| refused(text, "a number"))
}
