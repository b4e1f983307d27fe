//! Peak memory bandwidth of a kernel by number of SMs.

use std::fmt;

use serde::de::{self, Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::Bandwidth;
use crate::wcet::MAX_SMS;

/// Peak bandwidth: maximum memory bandwidth that a kernel uses at any time in isolation. The
/// value is one rate, or a list of measured points.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum Peak {
    /// One rate, which is the same for every number of SMs.
    Flat(Bandwidth),
    /// Measured points (m [SMs], rate): strictly increasing in m, non-decreasing in the rate.
    Curve(Vec<(u32, Bandwidth)>),
}

/// The reason why a list of points is not a valid curve.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PeakError {
    /// The list is empty.
    #[error("found no points, expected a bandwidth, or at least one point [sms, bandwidth]")]
    Empty,
    /// The number of SMs is zero, too large, or not larger than the previous number.
    #[error(
        "[{index}]: found {sms} SMs, expected numbers of SMs in strictly ascending order, each from 1 to {MAX_SMS}"
    )]
    Sms {
        /// Position in the list, from 0.
        index: usize,
        /// Number of SMs at this position.
        sms: u32,
    },
    /// The rate is lower than the rate at the previous position, which has fewer SMs.
    #[error(
        "[{index}]: found {rate} after {before}, expected a bandwidth that does not decrease with the number of SMs (use the larger of the two bandwidths)"
    )]
    NotMonotone {
        /// Position in the list, from 0.
        index: usize,
        /// Rate at this position.
        rate: Bandwidth,
        /// Rate at the previous position.
        before: Bandwidth,
    },
}

impl Peak {
    /// Checks `points` and creates a curve.
    ///
    /// # Errors
    /// Fails with [`PeakError`] if the list is empty or not monotone.
    pub fn curve(points: Vec<(u32, Bandwidth)>) -> Result<Peak, PeakError> {
        let mut last: Option<(u32, Bandwidth)> = None;
        for (index, &(sms, rate)) in points.iter().enumerate() {
            if sms > MAX_SMS || sms <= last.map_or(0, |(sms, _)| sms) {
                return Err(PeakError::Sms { index, sms });
            }
            if let Some((_, before)) = last.filter(|&(_, before)| rate < before) {
                return Err(PeakError::NotMonotone { index, rate, before });
            }
            last = Some((sms, rate));
        }
        last.map(|_| Peak::Curve(points)).ok_or(PeakError::Empty)
    }

    /// Returns the peak bandwidth on `sms` SMs: the rate at the smallest measured m' ≥ `sms`. Returns `None` if `sms`
    /// is above the largest m'.
    pub fn at(&self, sms: u32) -> Option<Bandwidth> {
        match self {
            Peak::Flat(rate) => Some(*rate),
            Peak::Curve(points) => {
                let below = points.partition_point(|&(m, _)| m < sms);
                points.get(below).map(|&(_, rate)| rate)
            }
        }
    }
}

/// This implementation is handwritten, because an untagged enum reports every mistake as "did not match any variant".
impl<'de> Deserialize<'de> for Peak {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Peak, D::Error> {
        struct PeakVisitor;
        impl<'de> Visitor<'de> for PeakVisitor {
            type Value = Peak;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a bandwidth such as \"120GB/s\", or a list of [sms, bandwidth]")
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Peak, E> {
                Bandwidth::deserialize(de::value::U64Deserializer::new(number)).map(Peak::Flat)
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Peak, E> {
                Bandwidth::deserialize(de::value::I64Deserializer::new(number)).map(Peak::Flat)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Peak, E> {
                text.parse().map(Peak::Flat).map_err(E::custom)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Peak, A::Error> {
                let points = Vec::deserialize(de::value::SeqAccessDeserializer::new(list))?;
                Peak::curve(points).map_err(de::Error::custom)
            }
        }
        deserializer.deserialize_any(PeakVisitor)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Peak {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Peak".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let flat = generator.subschema_for::<Bandwidth>();
        let curve = generator.subschema_for::<Vec<(u32, Bandwidth)>>();
        schemars::json_schema!({
            "description": "The peak bandwidth of a kernel: one rate for every number of SMs, or a list of [sms, bandwidth]",
            "anyOf": [flat, curve]
        })
    }
}
