//! Rates of memory traffic.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

use super::quantity::{self, LIMIT, ParseQuantityError, Quantity};

/// A data rate [bytes per second]. The text form is `"120GB/s"` or a plain integer number of
/// bytes per second.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize)]
#[serde(transparent)]
pub struct Bandwidth(u64);

impl Bandwidth {
    /// Maximum rate accepted as input, 10¹⁵ bytes per second.
    pub const LIMIT: Bandwidth = Bandwidth(LIMIT);
    /// One byte per second.
    pub(super) const ONE: Bandwidth = Bandwidth(1);

    /// Returns `number` bytes per second, or `None` above [`Bandwidth::LIMIT`].
    pub fn new(number: u64) -> Option<Bandwidth> {
        (number <= LIMIT).then_some(Bandwidth(number))
    }

    /// Returns the fraction `parts`/`of` of this rate, rounded down. Returns zero if `of` is 0,
    /// and the whole rate if `parts` ≥ `of` > 0.
    pub fn share(self, parts: u32, of: u32) -> Bandwidth {
        let share = u128::from(self.0) * u128::from(parts.min(of)) / u128::from(of.max(1));
        Bandwidth(u64::try_from(share).unwrap_or(self.0)) // at most all of it
    }

    /// Returns the number of bytes per second. The rate in nano-bytes per nanosecond is the same
    /// number.
    pub const fn bytes_per_second(self) -> u64 {
        self.0
    }
}

impl Quantity for Bandwidth {
    const UNITS: &'static [(&'static str, u64)] = &[
        ("TB/s", 1_000_000_000_000),
        ("GB/s", 1_000_000_000),
        ("MB/s", 1_000_000),
        ("kB/s", 1_000),
        ("KB/s", 1_000),
        ("B/s", 1),
        ("GiB/s", 1 << 30),
        ("MiB/s", 1 << 20),
        ("KiB/s", 1 << 10),
    ];
    const EXPECTED: &'static str = "a bandwidth: an integer number of bytes per second from 0 to 10^15, or a string with unit such as \"120GB/s\" (TB/s, GB/s, MB/s, kB/s, B/s, GiB/s, MiB/s, KiB/s; whole bytes per second)";
    const TEXT: &'static str = "a bandwidth with its unit such as \"120GB/s\" (TB/s, GB/s, MB/s, kB/s, B/s, GiB/s, MiB/s, KiB/s; whole bytes per second)";

    fn of(number: u64) -> Bandwidth {
        Bandwidth(number)
    }
}

impl FromStr for Bandwidth {
    type Err = ParseQuantityError;

    fn from_str(text: &str) -> Result<Bandwidth, ParseQuantityError> {
        quantity::parse(text)
    }
}

impl fmt::Display for Bandwidth {
    /// Writes the shortest exact form with a decimal unit: `120GB/s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        quantity::write(
            f,
            self.0,
            &[
                ("TB/s", 1_000_000_000_000),
                ("GB/s", 1_000_000_000),
                ("MB/s", 1_000_000),
                ("kB/s", 1_000),
                ("B/s", 1),
            ],
        )
    }
}

impl<'de> Deserialize<'de> for Bandwidth {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bandwidth, D::Error> {
        quantity::deserialize(deserializer)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Bandwidth {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Bandwidth".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A bandwidth: an integer number of bytes per second, or a string with unit such as \"120GB/s\"",
            "oneOf": [
                {"type": "integer", "minimum": 0, "maximum": LIMIT},
                {"type": "string", "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*(TB|GB|MB|kB|KB|B|GiB|MiB|KiB)/s\s*$"}
            ]
        })
    }
}
