//! Whole numbers with a unit, parsed exactly.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, Deserializer, Visitor};

/// Maximum number of bytes or bytes per second. With this limit, products of these numbers with times and counts fit in
/// 128 bits.
pub(super) const LIMIT: u64 = 1_000_000_000_000_000;

/// A kind of quantity, such as an amount of data, with its units.
pub(super) trait Quantity: Sized {
    /// Units of the text form, each with its size. The list does not contain the empty unit.
    const UNITS: &'static [(&'static str, u64)];
    /// Description of a valid value in a file, for error messages.
    const EXPECTED: &'static str;
    /// Description of a valid value in plain text, such as on the command line, for error messages. Plain text must
    /// state a unit, because a missing unit is often a mistake.
    const TEXT: &'static str;

    /// Creates the quantity with value `number`, which is at most [`LIMIT`].
    fn of(number: u64) -> Self;
}

/// The error for a text that is not a quantity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid value {found:?}, expected {expected}")]
pub struct ParseQuantityError {
    found: String,
    expected: &'static str,
}

/// Parses a number with a unit exactly, without floats: "0.3kB" is 300 bytes.
pub(super) fn parse<Q: Quantity>(text: &str) -> Result<Q, ParseQuantityError> {
    parse_where(text, Q::TEXT)
}

fn parse_where<Q: Quantity>(text: &str, expected: &'static str) -> Result<Q, ParseQuantityError> {
    exact(text, Q::UNITS)
        .map(Q::of)
        .ok_or_else(|| ParseQuantityError {
            found: text.chars().take(40).collect(),
            expected,
        })
}

fn exact(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let text = text.trim();
    let split = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let unit = unit.trim_start();
    let size = units.iter().find(|(name, _)| *name == unit)?.1;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    if whole.is_empty() || fraction.is_empty() || fraction.contains('.') {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    let scale = 10u128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let part = if fraction.is_empty() {
        0
    } else {
        fraction.parse::<u128>().ok()?
    };
    let digits = whole
        .parse::<u128>()
        .ok()?
        .checked_mul(scale)?
        .checked_add(part)?;
    let scaled = digits.checked_mul(size.into())?;
    let value = (scaled % scale == 0).then_some(scaled / scale)?;
    u64::try_from(value).ok().filter(|&value| value <= LIMIT)
}

/// Writes the shortest exact form with a decimal unit. `units` are sorted from the largest to the smallest.
pub(super) fn write(f: &mut fmt::Formatter<'_>, number: u64, units: &[(&str, u64)]) -> fmt::Result {
    let (unit, size) = units
        .iter()
        .copied()
        .find(|&(_, size)| number >= size)
        .or(units.last().copied())
        .unwrap_or(("", 1));
    let text = match number % size {
        0 => format!("{}{unit}", number / size),
        rest => {
            let digits = size.ilog10() as usize;
            let fraction = format!("{rest:0digits$}");
            format!("{}.{}{unit}", number / size, fraction.trim_end_matches('0'))
        }
    };
    f.pad(&text)
}

/// Reads an integer, or a string that contains a number and a unit.
pub(super) fn deserialize<'de, Q: Quantity, D: Deserializer<'de>>(deserializer: D) -> Result<Q, D::Error> {
    struct QuantityVisitor<Q>(PhantomData<Q>);
    impl<Q: Quantity> Visitor<'_> for QuantityVisitor<Q> {
        type Value = Q;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(Q::EXPECTED)
        }

        fn visit_u64<E: de::Error>(self, number: u64) -> Result<Q, E> {
            if number > LIMIT {
                return Err(E::invalid_value(de::Unexpected::Unsigned(number), &self));
            }
            Ok(Q::of(number))
        }

        fn visit_i64<E: de::Error>(self, number: i64) -> Result<Q, E> {
            match u64::try_from(number) {
                Ok(number) => self.visit_u64(number),
                Err(_) => Err(E::invalid_value(de::Unexpected::Signed(number), &self)),
            }
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<Q, E> {
            parse_where(text, Q::EXPECTED).map_err(E::custom)
        }
    }
    deserializer.deserialize_any(QuantityVisitor(PhantomData))
}
