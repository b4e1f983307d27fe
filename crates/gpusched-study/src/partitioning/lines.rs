//! Lines to programs of the user that generate task sets, and to programs that compute metrics.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::methods::Solved;
use crate::own::{Command, Outcome, Question, Questions};
use crate::work::Point;
use crate::work::tally::{Amount, Tally};
use gpusched_model::error::{Refusal, Result};
use gpusched_model::reader::Tree;
use gpusched_model::{Factor, TaskSet};

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

    fn line(&self, index: usize, id: u64, line: &mut Vec<u8>) -> serde_json::Result<()> {
        let order = Order {
            id,
            sms: self.generator.sms,
            point: self.point.drawn,
            utilization: self.point.utilization,
            tasks: self.point.tasks,
            index: self.at(index),
            seed: self.seed,
        };
        serde_json::to_writer(&mut *line, &order)?;
        line.push(b'\n');
        Ok(())
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

    fn line(&self, index: usize, id: u64, line: &mut Vec<u8>) -> serde_json::Result<()> {
        let (Some(question), Some(solved)) = (self.questions.get(index), self.solved.get(index)) else {
            return Ok(());
        };
        let outcome = Outcome {
            algorithm: self.algorithm,
            schedulable: solved.tally.schedulable > 0,
            partitions: solved.partitions.as_deref(),
        };
        question.line(id, Some(&outcome), line)
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
