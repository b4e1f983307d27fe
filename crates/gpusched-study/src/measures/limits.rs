//! Checks of the parameters of studies against limits. A parameter that exceeds a limit is an error.

use gpusched_model::error::Refusal;
use std::fmt::Display;
use std::ops::RangeInclusive;

/// Rejects a number outside the range `limits`.
pub fn within<T: PartialOrd + Display>(
    field: &str,
    found: T,
    limits: RangeInclusive<T>,
) -> Result<(), Refusal> {
    if limits.contains(&found) {
        return Ok(());
    }
    let expected = format!("{} to {}", limits.start(), limits.end());
    Err(Refusal::new(field, found, expected))
}

/// Rejects published numbers that are infinite or NaN.
pub fn finite<'a>(figures: impl IntoIterator<Item = &'a f64>) -> Result<(), Refusal> {
    match figures.into_iter().find(|figure| !figure.is_finite()) {
        Some(found) => Err(Refusal::new("published", found, "a finite number")),
        None => Ok(()),
    }
}

/// Returns the number of combinations of one element from each list. `lengths` states the lengths of the lists. Rejects
/// more than `most` combinations; the error message calls them `what`.
pub fn combinations(field: &str, what: &str, lengths: &[usize], most: usize) -> Result<usize, Refusal> {
    let count = lengths
        .iter()
        .fold(1_usize, |count, &length| count.saturating_mul(length));
    match count <= most {
        true => Ok(count),
        false => Err(Refusal::new(
            field,
            format_args!("{count} {what}"),
            format_args!("at most {most}"),
        )),
    }
}
