//! Algorithms outside gpusched. A command reads one task set per line, and answers each with one line.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::child::{Child, Fault};
use super::shape::Variant;
use crate::work::Point;
use crate::work::tally::Tally;
use gpusched_analysis::interference::Interference;
use gpusched_analysis::partitioning::Problem;
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::{Contention, Factor, Policy, Task, TaskSet, counted};

/// A program with its arguments, and the processes of this program that wait for a task set.
#[derive(Clone, Debug)]
pub(super) struct Command {
    /// Field of the study that states the command, for messages.
    field: String,
    arguments: Vec<String>,
    /// Longest time for one task set.
    timeout: Duration,
    idle: Arc<Mutex<Vec<Child>>>,
}

/// One task set of a study, as a command reads it: one line of JSON. All times are in whole nanoseconds.
#[derive(Serialize)]
struct Question<'a> {
    set: &'a TaskSet,
    /// M: number of SMs of the GPU.
    sms: u32,
    /// For each task, its WCETs on 1, 2, …, M SMs.
    wcet_ns: Vec<Wcets>,
    /// Name of the analysis variant, its policy, and its interference model.
    variant: &'a str,
    policy: Policy,
    interference: Interference,
    /// Index of the point, its utilization and its number of tasks.
    point: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    utilization: Option<Factor>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tasks: Option<usize>,
    /// Index of the task set within the point.
    index: u64,
    /// Seed of the study.
    seed: u64,
}

/// WCETs on 1, 2, …, M SMs [ns]; null if a task has no WCET on this number of SMs.
#[derive(Serialize)]
struct Wcets {
    isolated: Vec<Option<u64>>,
    conflict: Vec<Option<u64>>,
}

/// The answer of a command.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    /// Whether the algorithm finds the task set schedulable.
    schedulable: Option<bool>,
    /// Partitions, which gpusched tests.
    partitions: Option<Vec<Part>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    /// Number of SMs; at least 1.
    sms: u32,
    /// Positions of the tasks in the task set, from 0.
    tasks: Vec<usize>,
}

/// One task set with its analysis problem.
pub(super) struct Case<'a> {
    pub set: &'a TaskSet,
    pub problem: &'a Problem<'a>,
    pub variant: &'a Variant,
    pub point: &'a Point,
    /// Index of the task set within the point.
    pub index: u64,
    /// Seed of the study.
    pub seed: u64,
}

impl Command {
    /// Creates the command of `arguments`, which the study states in `field`.
    pub fn new(field: String, arguments: Vec<String>, timeout: Duration) -> Command {
        Command {
            field,
            arguments,
            timeout,
            idle: Arc::default(),
        }
    }

    /// Returns the result of the command for `case`. Returns `None` if the run was stopped before the answer.
    ///
    /// # Errors
    /// Fails if the command does not start, ends, needs too much time, or gives a wrong answer.
    pub fn count(&self, case: &Case<'_>, goes_on: &dyn Fn() -> bool) -> Result<Option<Tally>> {
        let question = question(case).map_err(|error| Error::Internal(error.to_string()))?;
        let waiting = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut child = match waiting {
            Some(child) => child,
            None => Child::start(&self.arguments).map_err(|fault| self.fault(case, fault))?,
        };
        let begin = std::time::Instant::now();
        let line = match child.ask(question, self.timeout, goes_on) {
            Ok(Some(line)) => line,
            Ok(None) => return Ok(None),
            Err(fault) => return Err(self.fault(case, fault)),
        };
        let ns = u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let sms = judged(case, &line).map_err(|refusal| self.refused(case, &line, &refusal))?;
        // A process that gave a wrong answer gets no further task set.
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(child);
        Ok(Some(Tally::of_command(sms, ns)))
    }

    fn fault(&self, case: &Case<'_>, fault: Fault) -> Error {
        let (found, expected) = match fault {
            Fault::Start(cause) => (format!("a command that does not start: {cause}"), "a program"),
            Fault::Ended(status) => (
                format!("the end of the process ({status}) at {}", place(case)),
                "one line for each task set",
            ),
            Fault::Late => (
                format!("no answer within {:?} for {}", self.timeout, place(case)),
                "an answer, or a larger `timeout`",
            ),
            Fault::Long => (
                format!("a line of more than 16 MiB for {}", place(case)),
                "one JSON object",
            ),
            Fault::Extra => (
                format!("a line before {}", place(case)),
                "one line for each task set, and no other output",
            ),
        };
        Refusal::new(&self.field, found, expected).into()
    }

    fn refused(&self, case: &Case<'_>, line: &str, refusal: &Refusal) -> Error {
        let start: String = line.chars().take(200).collect();
        let message = format!("the answer for {}, {start:?}: {refusal}", place(case));
        Refusal::told(&self.field, message).into()
    }
}

/// Returns a text that names the task set of `case`.
fn place(case: &Case<'_>) -> String {
    let (point, index) = (case.point.index, case.index);
    format!("set {index} of point {point}, variant {:?}", case.variant.name)
}

fn question(case: &Case<'_>) -> serde_json::Result<Vec<u8>> {
    let sms = case.problem.sms();
    let wcets = |task: &Task, contention: Contention| {
        let times = (1..=sms).map(|sms| task.wcet().at(sms, contention).map(|time| time.ns()));
        times.collect()
    };
    let tasks = case.set.tasks().iter();
    let mut line = serde_json::to_vec(&Question {
        set: case.set,
        sms,
        wcet_ns: tasks
            .map(|task| Wcets {
                isolated: wcets(task, Contention::Isolated),
                conflict: wcets(task, Contention::Conflict),
            })
            .collect(),
        variant: &case.variant.name,
        policy: case.variant.policy,
        interference: case.variant.interference,
        point: case.point.index,
        utilization: case.point.utilization,
        tasks: case.point.tasks,
        index: case.index,
        seed: case.seed,
    })?;
    line.push(b'\n');
    Ok(line)
}

/// Returns the number of SMs of a schedulable task set; 0 if the answer states no partitions. Returns `None` if the task set
/// is not schedulable. Partitions are schedulable only if they pass the tests and fit on the GPU together.
fn judged(case: &Case<'_>, line: &str) -> Result<Option<u32>, Refusal> {
    let answer: Answer = serde_json::from_str(line).map_err(|error| Refusal::told("", error))?;
    let parts = match (answer.schedulable, answer.partitions) {
        (None, None) => {
            let expected = "\"schedulable\", \"partitions\", or both";
            return Refusal::refuse("", "neither field", expected);
        }
        (Some(schedulable), None) => return Ok(schedulable.then_some(0)),
        (Some(false), Some(_)) => return Ok(None),
        (_, Some(parts)) => parts,
    };
    let count = case.set.tasks().len();
    let mut placed = vec![false; count];
    for (index, part) in parts.iter().enumerate() {
        if part.sms == 0 || part.tasks.is_empty() {
            let found = format!(
                "{} and {}",
                counted(part.sms, "SM"),
                counted(part.tasks.len(), "task")
            );
            let expected = "at least 1 SM and 1 task";
            return Refusal::refuse(format!("partitions[{index}]"), found, expected);
        }
        for &task in &part.tasks {
            match placed.get_mut(task) {
                Some(placed) if !*placed => *placed = true,
                _ => {
                    let expected = format!("each of the {count} tasks once, from 0");
                    return Refusal::refuse(format!("partitions[{index}].tasks"), task, expected);
                }
            }
        }
    }
    if let Some(missing) = placed.iter().position(|placed| !placed) {
        let found = format!("no partition for task {missing}");
        return Refusal::refuse("partitions", found, "each task in one partition");
    }
    let sizes: Vec<u32> = parts.iter().map(|part| part.sms).collect();
    let used = sizes.iter().map(|&sms| u64::from(sms)).sum::<u64>();
    let fits = used <= u64::from(case.problem.sms()) && { case.problem.offer() }
        .is_none_or(|offer| offer.place(&sizes).is_some());
    let parts: Vec<(&[usize], u32)> = parts
        .iter()
        .map(|part| (part.tasks.as_slice(), part.sms))
        .collect();
    let passes = fits
        && case
            .problem
            .verdicts(&parts)
            .iter()
            .all(|verdict| verdict.schedulable);
    Ok(passes.then_some(u32::try_from(used).unwrap_or(u32::MAX)))
}
