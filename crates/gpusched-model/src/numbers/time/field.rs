//! Time fields of files, with the refusal of values that a field does not allow.

use serde::de::{Deserialize, Deserializer, Error as _};

use super::Time;

/// Reads a time field that must be positive. The function refuses zero while gpusched parses the file, so that the
/// error can state the field.
pub(crate) fn positive_time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Time, D::Error> {
    const EXPECTED: &str =
        "a positive time (an integer number of nanoseconds, or a string with unit such as \"2.5us\")";
    match Time::deserialize(deserializer) {
        Ok(Time::ZERO) => Err(D::Error::custom(format!("invalid value: 0, expected {EXPECTED}"))),
        other => other,
    }
}

pub(crate) fn optional_positive_time<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Time>, D::Error> {
    positive_time(deserializer).map(Some)
}

/// Reads an optional time field. The function refuses `null`, which is not a time.
pub(crate) fn optional_time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Time>, D::Error> {
    Time::deserialize(deserializer).map(Some)
}
