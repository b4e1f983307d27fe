//! Time as an integer number of nanoseconds.
//!
//! Every time that affects a verdict is a [`Time`]. Only generators and plots use floats for
//! times. The text form of a time is `"2.5us"`, `"50ms"`, `"4s"`, or a plain integer number of
//! nanoseconds.

pub mod decimal;
mod field;

pub(crate) use field::{optional_positive_time, optional_time, positive_time};

use std::fmt;
use std::str::FromStr;

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// A duration or a point in time [ns].
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Time(u64);

/// Units of the text form from the largest to the smallest, each with its length [ns].
const UNITS: [(&str, u64); 5] = [
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("µs", 1_000),
    ("ns", 1),
];

const EXPECTED: &str = "a time: an integer number of nanoseconds from 0 to 2^63 - 1, or a string with unit such as \"2.5us\" (s, ms, us, ns; whole nanoseconds)";

impl Time {
    /// The zero duration.
    pub const ZERO: Time = Time(0);

    /// The maximum time accepted as input, 2^63 − 1 ns (about 292 years).
    pub const LIMIT: Time = Time(i64::MAX as u64);

    /// Returns a time of `ns` nanoseconds.
    pub const fn from_ns(ns: u64) -> Time {
        Time(ns)
    }

    /// Returns a time of `ms` milliseconds, or `None` if it is above [`Time::LIMIT`]. One "time unit" of [Singh21] is 1
    /// ms.
    pub fn from_ms(ms: u64) -> Option<Time> {
        let ns = ms.checked_mul(1_000_000)?;
        (ns <= Time::LIMIT.0).then_some(Time(ns))
    }

    /// Returns the number of nanoseconds.
    pub const fn ns(self) -> u64 {
        self.0
    }

    /// Returns the sum of the two times, or `None` on overflow.
    pub fn checked_add(self, other: Time) -> Option<Time> {
        self.0.checked_add(other.0).map(Time)
    }

    /// Returns `self` − `other`, or `None` if `other` is larger.
    pub fn checked_sub(self, other: Time) -> Option<Time> {
        self.0.checked_sub(other.0).map(Time)
    }

    /// Returns the number of seconds as a float, for plots and text.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl fmt::Display for Time {
    /// Writes the shortest exact form with a unit: `2.5us`, `50ms`, `0ns`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, length) = UNITS
            .iter()
            .copied()
            .find(|&(_, length)| self.0 >= length)
            .unwrap_or(("ns", 1));
        let text = match self.0 % length {
            0 => format!("{}{unit}", self.0 / length),
            rest => {
                let digits = length.ilog10() as usize;
                let fraction = format!("{rest:0digits$}");
                format!("{}.{}{unit}", self.0 / length, fraction.trim_end_matches('0'))
            }
        };
        f.pad(&text)
    }
}

/// The error for a text that is not a [`Time`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "found {found:?}, expected a time with its unit such as \"2.5us\" (s, ms, us, ns; whole nanoseconds)"
)]
pub struct ParseTimeError {
    found: String,
}

impl FromStr for Time {
    type Err = ParseTimeError;

    fn from_str(text: &str) -> Result<Time, ParseTimeError> {
        parse(text).ok_or_else(|| ParseTimeError {
            found: text.chars().take(40).collect(),
        })
    }
}

/// Parses a decimal number with a unit exactly, without floats: "0.3us" is 300 ns.
fn parse(text: &str) -> Option<Time> {
    let text = text.trim();
    let split = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let unit = unit.trim_start();
    // The parser refuses a text without a unit, because its author may have meant milliseconds
    // instead of nanoseconds.
    let length = UNITS.iter().find(|(name, _)| *name == unit)?.1;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    if whole.is_empty() || fraction.is_empty() || fraction.contains('.') {
        return None;
    }
    let mut ns = whole.parse::<u64>().ok()?.checked_mul(length)?;
    let mut place = length;
    for digit in fraction.trim_end_matches('0').bytes() {
        if place % 10 != 0 {
            return None; // finer than a nanosecond
        }
        place /= 10;
        ns = ns.checked_add(u64::from(digit - b'0').checked_mul(place)?)?;
    }
    (ns <= Time::LIMIT.0).then_some(Time(ns))
}

impl Serialize for Time {
    /// Writes an integer number of nanoseconds.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Time, D::Error> {
        struct TimeVisitor;
        impl Visitor<'_> for TimeVisitor {
            type Value = Time;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(EXPECTED)
            }

            fn visit_u64<E: de::Error>(self, ns: u64) -> Result<Time, E> {
                if ns > Time::LIMIT.0 {
                    return Err(E::invalid_value(de::Unexpected::Unsigned(ns), &self));
                }
                Ok(Time(ns))
            }

            fn visit_i64<E: de::Error>(self, ns: i64) -> Result<Time, E> {
                u64::try_from(ns)
                    .map(Time)
                    .map_err(|_| E::invalid_value(de::Unexpected::Signed(ns), &self))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Time, E> {
                text.parse()
                    .map_err(|_| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_any(TimeVisitor)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Time {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Time".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A time: an integer number of nanoseconds, or a string with unit such as \"2.5us\"",
            "oneOf": [
                {"type": "integer", "minimum": 0, "maximum": Time::LIMIT.0},
                {"type": "string", "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*(s|ms|us|µs|ns)\s*$"}
            ]
        })
    }
}
