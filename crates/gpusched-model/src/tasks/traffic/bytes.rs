//! Amounts of memory traffic.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

use super::quantity::{self, LIMIT, ParseQuantityError, Quantity};

/// An amount of data [bytes]. The text form is `"48MB"`, `"1.5GiB"`, or a plain integer number of
/// bytes.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize)]
#[serde(transparent)]
pub struct Bytes(u64);

impl Bytes {
    /// Maximum amount accepted as input, 10¹⁵ bytes.
    pub const LIMIT: Bytes = Bytes(LIMIT);

    /// Returns `number` bytes, or `None` above [`Bytes::LIMIT`].
    pub fn new(number: u64) -> Option<Bytes> {
        (number <= LIMIT).then_some(Bytes(number))
    }

    /// Returns the number of bytes.
    pub const fn bytes(self) -> u64 {
        self.0
    }

    /// Returns the amount in nano-bytes. A bandwidth of b bytes per second moves b nano-bytes per nanosecond.
    pub fn nano(self) -> u128 {
        u128::from(self.0) * 1_000_000_000
    }
}

impl Quantity for Bytes {
    const UNITS: &'static [(&'static str, u64)] = &[
        ("TB", 1_000_000_000_000),
        ("GB", 1_000_000_000),
        ("MB", 1_000_000),
        ("kB", 1_000),
        ("KB", 1_000),
        ("B", 1),
        ("GiB", 1 << 30),
        ("MiB", 1 << 20),
        ("KiB", 1 << 10),
    ];
    const EXPECTED: &'static str = "an amount of data: an integer number of bytes from 0 to 10^15, or a string with unit such as \"48MB\" (TB, GB, MB, kB, B, GiB, MiB, KiB; whole bytes)";
    const TEXT: &'static str =
        "an amount of data with its unit such as \"48MB\" (TB, GB, MB, kB, B, GiB, MiB, KiB; whole bytes)";

    fn of(number: u64) -> Bytes {
        Bytes(number)
    }
}

impl FromStr for Bytes {
    type Err = ParseQuantityError;

    fn from_str(text: &str) -> Result<Bytes, ParseQuantityError> {
        quantity::parse(text)
    }
}

impl fmt::Display for Bytes {
    /// Writes the shortest exact form with a decimal unit: `48MB`, `1.5kB`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        quantity::write(
            f,
            self.0,
            &[
                ("TB", 1_000_000_000_000),
                ("GB", 1_000_000_000),
                ("MB", 1_000_000),
                ("kB", 1_000),
                ("B", 1),
            ],
        )
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        quantity::deserialize(deserializer)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Bytes {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Bytes".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "An amount of data: an integer number of bytes, or a string with unit such as \"48MB\"",
            "oneOf": [
                {"type": "integer", "minimum": 0, "maximum": LIMIT},
                {"type": "string", "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*(TB|GB|MB|kB|KB|B|GiB|MiB|KiB)\s*$"}
            ]
        })
    }
}
