//! Division of all values by the values of one series.

use std::collections::BTreeMap;

use super::rows::Rows;
use crate::plot::options::Options;
use crate::plot::values::MAX_VALUE;
use gpusched_model::error::{Error, Refusal, Result};

/// Returns the index of the series that `options` divide by, or `None`.
///
/// # Errors
/// Fails with [`Error::Refused`] if there is no such series.
pub fn reference(series: &[String], options: &Options) -> Result<Option<usize>> {
    let Some(name) = &options.normalize else {
        return Ok(None);
    };
    let index = series.iter().position(|series| series == name);
    index.map(Some).ok_or_else(|| {
        let known: Vec<String> = series.iter().map(|name| format!("\"{name}\"")).collect();
        Error::parameter(
            "normalize",
            format!("no series \"{name}\""),
            format!("one of {}", known.join(", ")),
        )
    })
}

/// Divides each value and its interval by the value of the stated series in the same panel and at the same place.
///
/// # Errors
/// Fails with [`Error::Refused`] if there is no such series, or if this series has no positive value or several values
/// at a place.
pub fn apply(rows: &mut Rows<'_>, options: &Options) -> Result<()> {
    let Some(series) = reference(&rows.series, options)? else {
        return Ok(());
    };
    let name = options.normalize.as_deref().unwrap_or_default();
    let mut divisors: BTreeMap<(usize, String), f64> = BTreeMap::new();
    for row in rows.rows.iter().filter(|row| row.series == series) {
        let Some(value) = row.y else { continue };
        if value <= 0.0 {
            let expected = format!("a positive value of \"{name}\", because other values are divided by it");
            return Err(row.error(Refusal::new("normalize", value, expected)));
        }
        if divisors.insert((row.panel, place(row)), value).is_some() {
            let expected = format!("one value of \"{name}\" at {}", row.x);
            return Err(row.error(Refusal::new("normalize", "several values", expected)));
        }
    }
    for row in &mut rows.rows {
        let Some(value) = row.y else { continue };
        let Some(divisor) = divisors.get(&(row.panel, place(row))) else {
            let expected = format!("a value of \"{name}\" at {} in the same panel", row.x);
            return Err(row.error(Refusal::new("normalize", "no value", expected)));
        };
        let quotient = value / divisor;
        if quotient.abs() > MAX_VALUE {
            let expected = format!("a quotient within ±{MAX_VALUE:e}, the range of an axis");
            return Err(row.error(Refusal::new("normalize", quotient, expected)));
        }
        row.y = Some(quotient);
        row.band = row.band.map(|(low, high)| (low / divisor, high / divisor));
    }
    Ok(())
}

/// Returns the place of a row on the horizontal axis. Equal numbers are one place.
fn place(row: &super::rows::Row<'_>) -> String {
    row.number
        .map_or_else(|| row.x.to_owned(), |number| number.to_string())
}
