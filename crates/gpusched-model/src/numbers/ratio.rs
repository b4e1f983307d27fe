//! Exact non-negative fractions, for the multipliers in proofs.

use std::fmt;
use std::str::FromStr;

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize, Serializer};

/// A non-negative fraction in lowest terms. The text form is `7/3` or `7`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Ratio {
    numerator: u128,
    denominator: u64,
}

const EXPECTED: &str = "a non-negative fraction such as \"7/3\" or \"7\"";

impl Ratio {
    /// The number 0.
    pub const ZERO: Ratio = Ratio {
        numerator: 0,
        denominator: 1,
    };

    /// Returns `numerator`/`denominator`, or `None` if the denominator is 0.
    pub fn new(numerator: u128, denominator: u64) -> Option<Ratio> {
        if denominator == 0 {
            return None;
        }
        let divisor = gcd(numerator % u128::from(denominator), u128::from(denominator));
        // A divisor of the denominator fits in 64 bits.
        Some(Ratio {
            numerator: numerator / divisor,
            denominator: u64::try_from(u128::from(denominator) / divisor).ok()?,
        })
    }

    /// Returns the fraction as a float for display. The result is the float nearest to the fraction, or one of the two
    /// neighbors of this float.
    pub fn as_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    /// Returns the numerator and the denominator of the fraction in lowest terms.
    pub fn parts(self) -> (u128, u64) {
        (self.numerator, self.denominator)
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    if a == 0 { b } else { gcd(b % a, a) }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

/// The error for a text that is not a [`Ratio`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid fraction {found:?}, expected {EXPECTED}")]
pub struct ParseRatioError {
    found: String,
}

impl FromStr for Ratio {
    type Err = ParseRatioError;

    fn from_str(text: &str) -> Result<Ratio, ParseRatioError> {
        let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let ratio = (digits(numerator) && digits(denominator))
            .then(|| Ratio::new(numerator.parse().ok()?, denominator.parse().ok()?))
            .flatten();
        ratio.ok_or_else(|| ParseRatioError {
            found: text.chars().take(40).collect(),
        })
    }
}

impl Serialize for Ratio {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Ratio {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Ratio, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(D::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Ratio {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Ratio".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": EXPECTED,
            "type": "string",
            "pattern": "^[0-9]+(/[0-9]+)?$"
        })
    }
}
