//! Jobs at the start of a recording that a measurement drops.

use std::fmt;
use std::str::FromStr;

use serde::de::{Deserializer, Error as _, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::time::Time;

/// Rule that selects the jobs to drop at the start of a recording.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum WarmUp {
    /// The first jobs of each activity.
    Jobs(u64),
    /// All jobs that are released within this time after the first launch or range of the recording.
    Time(Time),
}

impl WarmUp {
    /// Whether the rule drops no job of any recording.
    pub fn is_none(self) -> bool {
        self == WarmUp::Jobs(0) || self == WarmUp::Time(Time::ZERO)
    }
}

impl Default for WarmUp {
    fn default() -> WarmUp {
        WarmUp::Jobs(0)
    }
}

impl fmt::Display for WarmUp {
    /// Writes the number of jobs, or the time with its unit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WarmUp::Jobs(jobs) => write!(f, "{jobs}"),
            WarmUp::Time(time) => write!(f, "{time}"),
        }
    }
}

/// The error for a text that is not a [`WarmUp`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("found {0:?}, expected {EXPECTED}")]
pub struct ParseWarmUpError(String);

const EXPECTED: &str = "a number of jobs, or a time with its unit such as \"200ms\"";

impl FromStr for WarmUp {
    type Err = ParseWarmUpError;

    fn from_str(text: &str) -> Result<WarmUp, ParseWarmUpError> {
        let jobs = text.parse().map(WarmUp::Jobs);
        let rule = jobs.or_else(|_| text.parse().map(WarmUp::Time));
        rule.map_err(|_| ParseWarmUpError(text.chars().take(40).collect()))
    }
}

impl Serialize for WarmUp {
    /// Writes a number of jobs as a number, and a time as a text with its unit.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            WarmUp::Jobs(jobs) => serializer.serialize_u64(*jobs),
            WarmUp::Time(_) => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for WarmUp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<WarmUp, D::Error> {
        struct WarmUpVisitor;
        impl Visitor<'_> for WarmUpVisitor {
            type Value = WarmUp;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(EXPECTED)
            }

            fn visit_u64<E: serde::de::Error>(self, jobs: u64) -> Result<WarmUp, E> {
                Ok(WarmUp::Jobs(jobs))
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<WarmUp, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer
            .deserialize_any(WarmUpVisitor)
            .map_err(D::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for WarmUp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "WarmUp".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Number of jobs, or a time with its unit such as \"200ms\".",
            "anyOf": [{"type": "integer", "minimum": 0}, {"type": "string"}]
        })
    }
}
