//! Programs of the user that generate task sets, and that compute metrics.

use std::fmt;
use std::ops::Range;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::methods::Solved;
use crate::own::{Command, Outcome, Question, Questions};
use crate::work::Point;
use crate::work::tally::{Amount, Tally};
use gpusched_model::error::{Refusal, Result};
use gpusched_model::reader::Tree;
use gpusched_model::time::Time;
use gpusched_model::{Factor, TaskSet};

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

/// A program that generates the task sets of a study.
#[derive(Clone, Debug)]
pub(super) struct Generator {
    pub command: Command,
    /// Number of SMs of the GPU.
    pub sms: u32,
}

impl Generator {
    /// Returns the task sets with the numbers `indices` at `point`. Returns `None` if the run was stopped.
    ///
    /// # Errors
    /// Fails if the program fails, or answers with anything other than task sets.
    pub fn sets(
        &self,
        point: &Point,
        seed: u64,
        indices: Range<u64>,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<TaskSet>>> {
        let mut wanted = Wanted {
            generator: self,
            point,
            seed,
            indices,
            sets: Vec::new(),
        };
        let mut session = self.command.session();
        if session.ask(&mut wanted, goes_on)?.is_none() {
            return Ok(None);
        }
        session.end()?;
        Ok(Some(wanted.sets))
    }
}

/// Task sets that a program generates.
struct Wanted<'a> {
    generator: &'a Generator,
    point: &'a Point,
    seed: u64,
    indices: Range<u64>,
    sets: Vec<TaskSet>,
}

/// The line that asks a program for a task set.
#[derive(Serialize)]
struct Order {
    /// Number of the line for this process, from 1. An answer may repeat it.
    id: u64,
    /// M: number of SMs of the GPU.
    sms: u32,
    /// Number of the point. Points that differ only in further axes have the same number.
    point: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    utilization: Option<Factor>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tasks: Option<usize>,
    /// Index of the task set within the point, from 0.
    index: u64,
    /// Seed of the study.
    seed: u64,
}

/// The answer of a generator.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Delivery {
    id: Option<u64>,
    set: TaskSet,
}

impl Wanted<'_> {
    fn at(&self, index: usize) -> u64 {
        self.indices.start.saturating_add(index as u64)
    }
}

impl Questions for Wanted<'_> {
    fn count(&self) -> usize {
        usize::try_from(self.indices.end.saturating_sub(self.indices.start)).unwrap_or(usize::MAX)
    }

    fn place(&self, index: usize) -> String {
        format!("set {} of point {}", self.at(index), self.point.index)
    }

    fn line(&self, index: usize, id: u64) -> serde_json::Result<Vec<u8>> {
        let mut line = serde_json::to_vec(&Order {
            id,
            sms: self.generator.sms,
            point: self.point.drawn,
            utilization: self.point.utilization,
            tasks: self.point.tasks,
            index: self.at(index),
            seed: self.seed,
        })?;
        line.push(b'\n');
        Ok(line)
    }

    fn take(&mut self, _: usize, line: &str, _: u64) -> Result<Option<u64>, Refusal> {
        let delivery: Delivery = serde_json::from_str(line).or_else(|error| {
            // The tree states the path of the wrong field.
            let tree: Tree = serde_json::from_str(line).map_err(|_| Refusal::told("", &error))?;
            tree.read()
        })?;
        self.sets.push(delivery.set);
        Ok(delivery.id)
    }
}

/// Results of one algorithm for task sets, which a metric rates.
pub(super) struct Rated<'a> {
    pub questions: &'a [Question<'a>],
    /// Name of the algorithm.
    pub algorithm: &'a str,
    pub solved: &'a [Solved],
    /// Sum of the values.
    pub sum: &'a mut Tally,
}

/// The answer of a metric.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rating<'a> {
    id: Option<u64>,
    #[serde(borrow)]
    value: &'a RawValue,
}

impl Questions for Rated<'_> {
    fn count(&self) -> usize {
        self.questions.len()
    }

    fn place(&self, index: usize) -> String {
        let question = self.questions.get(index).map(ToString::to_string);
        format!("{}, algorithm {:?}", question.unwrap_or_default(), self.algorithm)
    }

    fn line(&self, index: usize, id: u64) -> serde_json::Result<Vec<u8>> {
        let (Some(question), Some(solved)) = (self.questions.get(index), self.solved.get(index)) else {
            return Ok(Vec::new());
        };
        let outcome = Outcome {
            algorithm: self.algorithm,
            schedulable: solved.tally.schedulable > 0,
            partitions: solved.partitions.as_deref(),
        };
        question.line(id, Some(&outcome))
    }

    fn take(&mut self, _: usize, line: &str, ns: u64) -> Result<Option<u64>, Refusal> {
        let rating: Rating<'_> = serde_json::from_str(line).map_err(|error| Refusal::told("", error))?;
        let tally = match rating.value.get() {
            "null" => Tally::default(),
            text => {
                let expected = "null, or a number from 0 to 1000000000000 with at most 6 decimals";
                let amount = Amount::read(text).ok_or_else(|| Refusal::new("value", text, expected))?;
                Tally::of_amount(amount)
            }
        };
        self.sum.add(&Tally {
            search_ns: ns,
            ..tally
        });
        Ok(rating.id)
    }
}
