//! Exact decimal factors such as 0.02 or 2.3. gpusched computes with exact factors instead of
//! floats, so that no verdict depends on rounding.

use std::cmp::Ordering;
use std::fmt;

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// A non-negative decimal number with at most nine digits after the point, stored exactly.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Factor {
    // The fraction is reduced, because computations with small numbers are faster. gpusched computes millions of WCETs
    // with factors.
    numerator: u64,
    denominator: u64,
}

const ONE: u64 = 1_000_000_000;

/// Smallest integer of 16 digits.
const SIXTEEN_DIGITS: u64 = 1_000_000_000_000_000;

/// Maximum factor: one million.
const LIMIT: u64 = 1_000_000 * ONE;

const EXPECTED: &str = "a number from 0 to 1000000 with at most nine decimals";

/// Expected value of a share.
const SHARE: &str = "a number from 0 to 1 with at most nine decimals";

impl Factor {
    /// The factor 0.
    pub const ZERO: Factor = Factor {
        numerator: 0,
        denominator: 1,
    };
    /// The factor 1.
    pub const ONE: Factor = Factor {
        numerator: 1,
        denominator: 1,
    };
    /// The largest factor, one million.
    pub const MAX: Factor = Factor {
        numerator: LIMIT / ONE,
        denominator: 1,
    };

    /// Returns the factor `billionths` · 10⁻⁹, or `None` if the factor is above one million.
    pub const fn from_billionths(billionths: u64) -> Option<Factor> {
        if billionths > LIMIT {
            return None;
        }
        Some(Factor::reduced(billionths))
    }

    /// Returns the reduced fraction `billionths` · 10⁻⁹. The prime factors of 10⁹ are 2 and 5.
    const fn reduced(billionths: u64) -> Factor {
        if billionths == 0 {
            return Factor::ZERO;
        }
        // A bit of the union is 0 below the lowest bit of both numbers.
        let zeros = (billionths | ONE).trailing_zeros();
        let mut numerator = billionths >> zeros;
        let mut denominator = ONE >> zeros;
        while numerator.is_multiple_of(5) && denominator.is_multiple_of(5) {
            numerator /= 5;
            denominator /= 5;
        }
        Factor {
            numerator,
            denominator,
        }
    }

    /// Returns the factor whose decimal text is the shortest decimal text of `value`. Returns
    /// `None` if `value` is negative, not finite, above one million, or has more than nine
    /// decimals.
    pub fn from_f64(value: f64) -> Option<Factor> {
        if !(0.0..=1e6).contains(&value) {
            return None;
        }
        // Two decimal texts of up to 15 digits never parse to the same float. The quotient is correctly rounded, as a parsed
        // text is. So if the quotient is `value`, its text is the shortest one. The text of -0 has a sign, which is invalid.
        let billionths = (value * ONE as f64).round() as u64;
        if billionths < SIXTEEN_DIGITS && billionths as f64 / ONE as f64 == value && value.is_sign_positive()
        {
            return Some(Factor::reduced(billionths));
        }
        // If the number that the user wrote has up to 15 digits, it is the shortest decimal text that parses to
        // `value`.
        Factor::from_decimal(&format!("{value}"))
    }

    /// Returns the exact value of `text`, which contains only digits and at most one decimal point.
    fn from_decimal(text: &str) -> Option<Factor> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(fraction) || fraction.len() > 9 {
            return None;
        }
        let whole: u64 = whole.parse().ok()?;
        let fraction: u64 = format!("{fraction:0<9}").parse().ok()?;
        Factor::from_billionths(whole.checked_mul(ONE)?.checked_add(fraction)?)
    }

    /// Returns the factor as a reduced fraction (numerator, denominator).
    pub const fn ratio(self) -> (u64, u64) {
        (self.numerator, self.denominator)
    }

    /// Returns the float that is nearest to the factor, for output and generators.
    pub fn as_f64(self) -> f64 {
        self.billionths() as f64 / ONE as f64
    }

    fn billionths(self) -> u64 {
        self.numerator * (ONE / self.denominator)
    }
}

impl PartialOrd for Factor {
    fn partial_cmp(&self, other: &Factor) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Factor {
    fn cmp(&self, other: &Factor) -> Ordering {
        self.billionths().cmp(&other.billionths())
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_f64().fmt(f)
    }
}

/// The error for a text that is not a factor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("found `{found}`, expected {EXPECTED}")]
pub struct ParseFactorError {
    found: String,
}

impl std::str::FromStr for Factor {
    type Err = ParseFactorError;

    fn from_str(text: &str) -> Result<Factor, ParseFactorError> {
        Factor::from_decimal(text).ok_or_else(|| ParseFactorError {
            found: text.to_owned(),
        })
    }
}

impl Serialize for Factor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.as_f64())
    }
}

impl<'de> Deserialize<'de> for Factor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Factor, D::Error> {
        struct FactorVisitor;
        impl Visitor<'_> for FactorVisitor {
            type Value = Factor;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(EXPECTED)
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Factor, E> {
                Factor::from_f64(value).ok_or_else(|| E::invalid_value(de::Unexpected::Float(value), &self))
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Factor, E> {
                value
                    .checked_mul(ONE)
                    .and_then(Factor::from_billionths)
                    .ok_or_else(|| E::invalid_value(de::Unexpected::Unsigned(value), &self))
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Factor, E> {
                match u64::try_from(value) {
                    Ok(value) => self.visit_u64(value),
                    Err(_) => Err(E::invalid_value(de::Unexpected::Signed(value), &self)),
                }
            }
        }
        deserializer.deserialize_any(FactorVisitor)
    }
}

/// Reads an optional factor that is a share. The refusal of a value that is not a factor states the range of a share. The
/// caller refuses factors above 1, because its error states the reason.
pub(crate) fn optional_share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Factor>, D::Error> {
    let found = Option::deserialize(deserializer);
    found.map_err(|error| de::Error::custom(error.to_string().replace(EXPECTED, SHARE)))
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Factor {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Factor".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": EXPECTED,
            "type": "number",
            "minimum": 0,
            "maximum": 1_000_000
        })
    }
}
