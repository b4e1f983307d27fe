//! Numbers of JSON as text, so that times keep all their digits.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::readers::signed::{is_no_value, signed};
use gpusched_model::time::decimal::Rounding;

/// A number, text or logical value, as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scalar(pub String);

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Scalar, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Ok(Scalar(raw.get().trim_matches('"').to_owned()))
    }
}

/// A number of time units, exact.
#[derive(Clone, Debug)]
pub struct Decimal(Box<RawValue>);

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Decimal)
    }
}

impl Decimal {
    /// Returns the time in units of 10^`unit` ns as nanoseconds, or `None` if the file states no value.
    ///
    /// # Errors
    /// Fails with the text of a value that is not a time.
    pub fn ns(&self, unit: u32, rounding: Rounding) -> Result<Option<i64>, &str> {
        let text = self.0.get().trim_matches('"');
        if is_no_value(text) {
            return Ok(None);
        }
        signed(text, unit, rounding).map(Some).ok_or(text)
    }
}

/// A whole number, which may be written as text or as a float without a fraction. gpusched does not accept other values
/// as numbers.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Identity(pub Option<i64>);

impl Identity {
    /// Returns the number as a time [ns]. The largest number of 64 bits, which has the bits of −1, means an unknown time.
    pub fn time(self) -> Option<i64> {
        self.0.filter(|&time| time != -1)
    }
}

impl<'de> Deserialize<'de> for Identity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Identity, D::Error> {
        deserializer.deserialize_any(IdentityVisitor)
    }
}

struct IdentityVisitor;

impl<'de> Visitor<'de> for IdentityVisitor {
    type Value = Identity;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number")
    }

    fn visit_i64<E>(self, value: i64) -> Result<Identity, E> {
        Ok(Identity(Some(value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Identity, E> {
        // Handles may have 64 bits. The reader only compares them for equality.
        Ok(Identity(Some(value.cast_signed())))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Identity, E> {
        let whole = value.fract() == 0.0 && value.abs() < 9e15;
        Ok(Identity(whole.then_some(value as i64)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Identity, E> {
        Ok(Identity(value.trim().parse().ok()))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Identity, E> {
        Ok(Identity(None))
    }

    fn visit_unit<E>(self) -> Result<Identity, E> {
        Ok(Identity(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Identity, A::Error> {
        // rocprofv3 writes handles as objects.
        let mut found = Identity(None);
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "handle" | "internal" => found = map.next_value()?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Identity, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Identity(None))
    }
}
