//! Execution times of the thread blocks of a kernel.

use serde::de::{Deserializer, Error as _, MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Serialize, Serializer};

use super::ProfileTime;
use crate::WcetFunction;
use crate::kernel::LONGEST;
use crate::time::Time;

/// Maximum length of a list of block times.
const MAX_TIMES: usize = 10_000_000;

/// Execution times of the thread blocks of a kernel without interference.
#[derive(Clone, PartialEq, Debug)]
pub enum BlockTime {
    /// One execution time for all blocks.
    Fixed(Time),
    /// Execution times that differ between blocks or depend on other data.
    Form(Box<BlockTimeForm>),
}

/// Block times that differ between blocks or depend on other data, such as a WCET function.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum BlockTimeForm {
    /// Uniform distribution from the shortest to the longest time, including these two times.
    Uniform([Time; 2]),
    /// Normal distribution truncated at 1 ns and at `max`.
    Normal(NormalTime),
    /// List of times, one per block, in the order of the blocks. If the list has fewer entries than the kernel has
    /// blocks, the list repeats.
    Times(Vec<Time>),
    /// WCET function C(m). In isolation, the kernel takes C(m) on its m SMs, and each wave of blocks takes an equal
    /// share of C(m).
    Wcet(#[cfg_attr(feature = "schema", schemars(with = "crate::wcet::Form"))] WcetFunction),
    /// Clusters of a kernel profile. In isolation, a block takes the time `e0` of its cluster. If CPU cores access
    /// memory all the time, the block takes the time `e1`.
    Profile(ProfileTime),
}

/// Normal distribution of block times.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NormalTime {
    /// Mean of the normal distribution.
    pub mean: Time,
    /// Standard deviation of the normal distribution.
    pub std: Time,
    /// Maximum time of a block, at which the normal distribution is truncated.
    pub max: Time,
}

impl BlockTime {
    /// Returns the clusters of the kernel profile, or `None` for other forms of block times.
    pub fn profile(&self) -> Option<&ProfileTime> {
        match self {
            BlockTime::Form(form) => match form.as_ref() {
                BlockTimeForm::Profile(profile) => Some(profile),
                _ => None,
            },
            BlockTime::Fixed(_) => None,
        }
    }

    /// Checks the block times. An error states the first fault.
    fn check(&self) -> Result<(), String> {
        let one = |time: &Time| match (1..=LONGEST.ns()).contains(&time.ns()) {
            true => Ok(()),
            false => Err(format!("found {time}, expected 1ns to {LONGEST}")),
        };
        let BlockTime::Form(form) = self else {
            return match self {
                BlockTime::Fixed(time) => one(time),
                BlockTime::Form(_) => Ok(()),
            };
        };
        match form.as_ref() {
            BlockTimeForm::Uniform([least, longest]) => {
                one(least)?;
                one(longest)?;
                match least <= longest {
                    true => Ok(()),
                    false => Err(format!(
                        "uniform: found {least} to {longest}, expected the shorter time first"
                    )),
                }
            }
            BlockTimeForm::Normal(normal) => {
                one(&normal.max)?;
                one(&normal.mean)?;
                match normal.mean <= normal.max {
                    true => Ok(()),
                    false => Err(format!(
                        "normal.mean: found {}, expected at most {}, the value of `max`",
                        normal.mean, normal.max
                    )),
                }
            }
            BlockTimeForm::Times(times) if times.is_empty() || times.len() > MAX_TIMES => Err(format!(
                "times: found {} times, expected 1 to {MAX_TIMES}",
                times.len()
            )),
            BlockTimeForm::Times(times) => times.iter().try_for_each(one),
            BlockTimeForm::Wcet(_) => Ok(()),
            BlockTimeForm::Profile(profile) => {
                profile.check().map_err(|message| format!("profile.{message}"))
            }
        }
    }
}

const EXPECTED: &str =
    "a time such as \"2.5us\", or an object with \"uniform\", \"normal\", \"times\", \"wcet\" or \"profile\"";

impl<'de> Deserialize<'de> for BlockTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<BlockTime, D::Error> {
        struct BlockTimeVisitor;

        impl<'de> Visitor<'de> for BlockTimeVisitor {
            type Value = BlockTime;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(EXPECTED)
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<BlockTime, E> {
                Time::deserialize(serde::de::value::StrDeserializer::new(text)).map(BlockTime::Fixed)
            }

            fn visit_u64<E: serde::de::Error>(self, ns: u64) -> Result<BlockTime, E> {
                Time::deserialize(serde::de::value::U64Deserializer::new(ns)).map(BlockTime::Fixed)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<BlockTime, A::Error> {
                let form = BlockTimeForm::deserialize(MapAccessDeserializer::new(map))?;
                Ok(BlockTime::Form(Box::new(form)))
            }
        }

        let time = deserializer.deserialize_any(BlockTimeVisitor)?;
        time.check().map_err(D::Error::custom)?;
        Ok(time)
    }
}

impl Serialize for BlockTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            BlockTime::Fixed(time) => time.serialize(serializer),
            BlockTime::Form(form) => form.serialize(serializer),
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for BlockTime {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "BlockTime".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let (time, form) = (
            generator.subschema_for::<Time>(),
            generator.subschema_for::<BlockTimeForm>(),
        );
        schemars::json_schema!({"anyOf": [time, form]})
    }
}
