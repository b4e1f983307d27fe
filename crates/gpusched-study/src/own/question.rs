//! The question that an algorithm of the user answers, and its form as one line of JSON.

use std::fmt;

use serde::Serialize;

use gpusched_analysis::interference::Interference;
use gpusched_analysis::partitioning::{Offer, Problem, Stated};
use gpusched_model::{Contention, Factor, Policy, TaskSet};

/// One task set and its partitioning problem.
#[derive(Copy, Clone)]
pub struct Question<'a> {
    /// The task set.
    pub set: &'a TaskSet,
    /// The tasks on the GPU, with the policy and the interference model of the tests.
    pub problem: &'a Problem<'a>,
    /// Place of the task set in a study; `None` outside a study.
    pub origin: Option<Origin<'a>>,
}

/// Place of a task set in a study.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Origin<'a> {
    /// Name of the analysis variant.
    pub variant: &'a str,
    /// Index of the point, from 0.
    pub point: usize,
    /// Utilization of each task set of the point; `None` if the study does not state it.
    pub utilization: Option<Factor>,
    /// Number of tasks of each task set of the point; `None` if the study does not state it.
    pub tasks: Option<usize>,
    /// Index of the task set within the point, from 0.
    pub index: u64,
    /// Seed of the study.
    pub seed: u64,
}

impl fmt::Display for Question<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.origin {
            Some(at) => write!(
                f,
                "set {} of point {}, variant {:?}",
                at.index, at.point, at.variant
            ),
            None => match self.set.name() {
                Some(name) => write!(f, "the task set {name:?}"),
                None => f.write_str("the task set"),
            },
        }
    }
}

/// The fields of a question before the WCETs, as a command reads them. All times are in whole nanoseconds.
#[derive(Serialize)]
struct Head<'a> {
    /// Number of the question to this process, from 1. An answer may repeat it.
    id: u64,
    set: &'a TaskSet,
    /// M: number of SMs of the GPU.
    sms: u32,
    /// Supported partition sizes [SMs]. Absent if a partition may have any number of SMs.
    #[serde(skip_serializing_if = "Option::is_none")]
    sizes: Option<Vec<u32>>,
}

/// The fields of a question after the WCETs.
#[derive(Serialize)]
struct Tail<'a> {
    /// Name of the analysis variant, its policy, and its interference model.
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<&'a str>,
    policy: Policy,
    interference: Option<Interference>,
    /// Index of the point, its utilization and its number of tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    point: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    utilization: Option<Factor>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tasks: Option<usize>,
    /// Index of the task set within the point.
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<u64>,
    /// Seed of the study.
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    /// Result of an algorithm, for a metric.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    result: Option<&'a Outcome<'a>>,
}

/// Result of an algorithm for a task set, as a metric reads it.
#[derive(Serialize)]
pub(crate) struct Outcome<'a> {
    /// Name of the algorithm.
    pub algorithm: &'a str,
    /// Whether the task set is schedulable.
    pub schedulable: bool,
    /// Partitions of the plan. Absent if the algorithm states none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partitions: Option<&'a [Stated]>,
}

impl<'a> Question<'a> {
    /// Creates the question about the tasks of `set`, outside a study.
    pub fn new(set: &'a TaskSet, problem: &'a Problem<'a>) -> Question<'a> {
        Question {
            set,
            problem,
            origin: None,
        }
    }

    /// Writes the line of question number `id` to a process, with its end, to the empty `line`. `result` is the result that a metric
    /// rates.
    pub(crate) fn line(
        &self,
        id: u64,
        result: Option<&Outcome<'_>>,
        line: &mut Vec<u8>,
    ) -> serde_json::Result<()> {
        let head = Head {
            id,
            set: self.set,
            sms: self.problem.sms(),
            sizes: self.problem.offer().map(Offer::sizes),
        };
        let at = self.origin.as_ref();
        let tail = Tail {
            variant: at.map(|at| at.variant),
            policy: self.problem.policy(),
            interference: self.problem.interference_name(),
            point: at.map(|at| at.point),
            utilization: at.and_then(|at| at.utilization),
            tasks: at.and_then(|at| at.tasks),
            index: at.map(|at| at.index),
            seed: at.map(|at| at.seed),
            result,
        };
        serde_json::to_writer(&mut *line, &head)?;
        line.pop(); // the brace at the end
        self.push_wcets(line);
        let start = line.len();
        serde_json::to_writer(&mut *line, &tail)?;
        if let Some(brace) = line.get_mut(start) {
            *brace = b',';
        }
        line.push(b'\n');
        Ok(())
    }

    /// Appends the field `wcet_ns`: for each task, its WCETs on 1, 2, …, M SMs, or null if it has no WCET on this number of SMs. A line
    /// consists almost only of these numbers, and this function is faster than a serializer.
    fn push_wcets(&self, line: &mut Vec<u8>) {
        let mut number = itoa::Buffer::new();
        line.extend_from_slice(b",\"wcet_ns\":[");
        for (index, task) in self.set.tasks().iter().enumerate() {
            if index > 0 {
                line.push(b',');
            }
            for (start, contention) in [
                (&b"{\"isolated\":["[..], Contention::Isolated),
                (b",\"conflict\":[", Contention::Conflict),
            ] {
                line.extend_from_slice(start);
                for sms in 1..=self.problem.sms() {
                    if sms > 1 {
                        line.push(b',');
                    }
                    match task.wcet().at(sms, contention) {
                        Some(time) => line.extend_from_slice(number.format(time.ns()).as_bytes()),
                        None => line.extend_from_slice(b"null"),
                    }
                }
                line.push(b']');
            }
            line.push(b'}');
        }
        line.push(b']');
    }
}
