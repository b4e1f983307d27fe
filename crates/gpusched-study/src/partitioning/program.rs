//! The TOML format of programs of the user: generators of task sets, and metrics.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

use gpusched_model::time::Time;

/// A program of your own, with its arguments. It answers each line by one line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Program with its arguments.
    pub command: Vec<String>,
    /// Longest time for one line. Default: 60 s.
    // The results do not depend on the time limit, so it is no part of the identity of the experiment.
    #[serde(default, skip_serializing)]
    pub timeout: Option<Time>,
}

/// Task sets from a file, or from a program of your own.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(untagged))]
pub enum Population {
    /// Path of a JSONL file with task sets.
    File(String),
    /// Program that generates task sets.
    Program(Program),
}

/// This implementation is handwritten, because an untagged enum reports every mistake as "did not match any variant".
impl<'de> Deserialize<'de> for Population {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Population, D::Error> {
        struct PopulationVisitor;
        impl<'de> Visitor<'de> for PopulationVisitor {
            type Value = Population;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "the path of a file, or a program such as { command = [\"python3\", \"generate.py\"] }",
                )
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Population, E> {
                Ok(Population::File(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Population, A::Error> {
                let program = Program::deserialize(MapAccessDeserializer::new(map))?;
                match program.command.first().is_none_or(String::is_empty) {
                    true => Err(A::Error::custom("found no program, expected a name in `command`")),
                    false => Ok(Population::Program(program)),
                }
            }
        }
        deserializer.deserialize_any(PopulationVisitor)
    }
}

/// A number that a program of your own computes for each task set and each algorithm.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Metric {
    /// Name of the metric: small letters, digits and `_`. The column of the results is `mean_NAME`.
    pub name: String,
    /// Program with its arguments. It answers each line by one line.
    pub command: Vec<String>,
    /// Longest time for one line. Default: 60 s.
    #[serde(default, skip_serializing)]
    pub timeout: Option<Time>,
}
