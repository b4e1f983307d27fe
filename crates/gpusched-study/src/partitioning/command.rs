//! Algorithms outside gpusched. A command reads one task set per line, and answers each with one line.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::child::{Child, Fault};
use super::shape::Variant;
use crate::work::tally::Tally;
use crate::work::{Chunk, Point};
use gpusched_analysis::interference::Interference;
use gpusched_analysis::partitioning::{Offer, Problem};
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
    shared: Arc<Shared>,
}

/// State of a command that all threads share.
#[derive(Debug, Default)]
struct Shared {
    idle: Mutex<Vec<Child>>,
    /// Whether the answers for schedulable task sets state partitions; unknown before the first such answer.
    with_partitions: OnceLock<bool>,
}

impl Drop for Shared {
    fn drop(&mut self) {
        // The processes end at the same time.
        let idle = self.idle.get_mut().unwrap_or_else(PoisonError::into_inner);
        idle.iter_mut().for_each(Child::close);
    }
}

/// One process that answers the task sets of one chunk.
pub(super) struct Session<'a> {
    command: &'a Command,
    child: Option<Child>,
    /// Whether each answer so far repeated the number of its question.
    numbered: bool,
}

/// One task set of a study, as a command reads it: one line of JSON. All times are in whole nanoseconds.
#[derive(Serialize)]
struct Question<'a> {
    /// Number of the question to this process, from 1. An answer may repeat it.
    id: u64,
    set: &'a TaskSet,
    /// M: number of SMs of the GPU.
    sms: u32,
    /// Supported partition sizes [SMs]. Absent if a partition may have any number of SMs.
    #[serde(skip_serializing_if = "Option::is_none")]
    sizes: Option<Vec<u32>>,
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
    /// Number of the question.
    id: Option<u64>,
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
            shared: Arc::default(),
        }
    }

    /// Starts to answer the task sets of a chunk.
    pub fn session(&self) -> Session<'_> {
        Session {
            command: self,
            child: None,
            numbered: true,
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Child>> {
        self.shared.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fault(&self, place: &str, fault: Fault) -> Error {
        let (found, expected) = match fault {
            Fault::Start(cause) => {
                let program = self.arguments.first().map_or("", String::as_str);
                let found = format!("a command that does not start: {program:?}: {cause}");
                (found, "a program")
            }
            Fault::Ended(status) => (
                format!("the end of the process ({status}) at {place}"),
                "one line for each task set",
            ),
            Fault::Late => (
                format!("no answer within {:?} for {place}", self.timeout),
                "an answer, or a larger `timeout`",
            ),
            Fault::Long => (
                format!("a line of more than 16 MiB for {place}"),
                "one JSON object",
            ),
            Fault::Bytes => (format!("a line that is not UTF-8 for {place}"), "one JSON object"),
            Fault::Extra => (
                format!("a further line at {place}"),
                "one line for each task set, and no other output",
            ),
            Fault::Endless => (
                format!("a process that continues after {place}"),
                "its end after the end of its input, or answers that repeat `id`",
            ),
        };
        Refusal::new(&self.field, found, expected).into()
    }

    /// Checks that all schedulable task sets have partitions, or none: otherwise their mean number of SMs has no meaning.
    fn check_kind(&self, sms: Option<u32>) -> Result<(), Refusal> {
        let Some(sms) = sms else { return Ok(()) };
        let found = sms > 0;
        match *self.shared.with_partitions.get_or_init(|| found) == found {
            true => Ok(()),
            false => {
                let expected = "partitions for all schedulable task sets, or for none";
                let found = if found { "partitions" } else { "no partitions" };
                Refusal::refuse("", format!("{found}, unlike before"), expected)
            }
        }
    }

    fn refused(&self, case: &Case<'_>, line: &str, refusal: &Refusal) -> Error {
        let start: String = line.chars().take(200).collect();
        let message = format!("the answer for {}, {start:?}: {refusal}", place(case));
        Refusal::told(&self.field, message).into()
    }
}

impl Session<'_> {
    /// Returns the result of the command for `case`. Returns `None` if the run was stopped before the answer.
    ///
    /// # Errors
    /// Fails if the command does not start, ends, needs too much time, or gives a wrong answer.
    pub fn count(&mut self, case: &Case<'_>, goes_on: &dyn Fn() -> bool) -> Result<Option<Tally>> {
        let command = self.command;
        let fault = |fault| command.fault(&place(case), fault);
        let mut child = match self.child.take().or_else(|| command.idle().pop()) {
            Some(child) => child,
            None => Child::start(&command.arguments).map_err(fault)?,
        };
        let id = child.asked + 1;
        let question = question(case, id).map_err(|error| Error::Internal(error.to_string()))?;
        let begin = Instant::now();
        let Some(line) = child.ask(question, command.timeout, goes_on).map_err(fault)? else {
            return Ok(None);
        };
        let ns = u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let judged = judged(case, &line, id);
        let judged = judged.and_then(|(sms, numbered)| command.check_kind(sms).map(|()| (sms, numbered)));
        let (sms, numbered) = judged.map_err(|refusal| command.refused(case, &line, &refusal))?;
        // A process that gave a wrong answer gets no further task set.
        self.child = Some(child);
        self.numbered &= numbered;
        Ok(Some(Tally::of_command(sms, ns)))
    }

    /// Ends the chunk. A process whose answers do not repeat the numbers of their questions ends, because only its end shows
    /// whether it wrote a further line, which would have been taken for an answer.
    ///
    /// # Errors
    /// Fails if the process wrote a further line, or does not end.
    pub fn end(mut self, chunk: &Chunk) -> Result<()> {
        let Some(child) = self.child.take() else {
            return Ok(());
        };
        if self.numbered {
            self.command.idle().push(child);
            return Ok(());
        }
        let last = chunk.sets.end.saturating_sub(1);
        let place = format!("set {last} of point {}", chunk.point);
        child.end().map_err(|fault| self.command.fault(&place, fault))
    }
}

/// Returns a text that names the task set of `case`.
fn place(case: &Case<'_>) -> String {
    let (point, index) = (case.point.index, case.index);
    format!("set {index} of point {point}, variant {:?}", case.variant.name)
}

fn question(case: &Case<'_>, id: u64) -> serde_json::Result<Vec<u8>> {
    let sms = case.problem.sms();
    let wcets = |task: &Task, contention: Contention| {
        let times = (1..=sms).map(|sms| task.wcet().at(sms, contention).map(|time| time.ns()));
        times.collect()
    };
    let tasks = case.set.tasks().iter();
    let mut line = serde_json::to_vec(&Question {
        id,
        set: case.set,
        sms,
        sizes: case.problem.offer().map(Offer::sizes),
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
/// is not schedulable. Partitions are schedulable only if they pass the tests and fit on the GPU together. Also returns
/// whether the answer repeats `id`, the number of the question.
fn judged(case: &Case<'_>, line: &str, id: u64) -> Result<(Option<u32>, bool), Refusal> {
    let answer: Answer = serde_json::from_str(line).map_err(|error| Refusal::told("", error))?;
    if let Some(found) = answer.id.filter(|&found| found != id) {
        return Refusal::refuse("id", found, format!("{id}, the `id` of the question"));
    }
    let numbered = answer.id.is_some();
    let mut parts = match (answer.schedulable, answer.partitions) {
        (None, None) => {
            let expected = "\"schedulable\", \"partitions\", or both";
            return Refusal::refuse("", "neither field", expected);
        }
        (Some(schedulable), None) => return Ok((schedulable.then_some(0), numbered)),
        (_, Some(parts)) => parts,
    };
    check(case, &parts)?;
    let sizes: Vec<u32> = parts.iter().map(|part| part.sms).collect();
    let used = sizes.iter().map(|&sms| u64::from(sms)).sum::<u64>();
    let fits = used <= u64::from(case.problem.sms()) && { case.problem.offer() }
        .is_none_or(|offer| offer.place(&sizes).is_some());
    // The order of the tasks decides between equal priorities, and a command does not state priorities.
    parts.iter_mut().for_each(|part| part.tasks.sort_unstable());
    let parts: Vec<(&[usize], u32)> = parts
        .iter()
        .map(|part| (part.tasks.as_slice(), part.sms))
        .collect();
    let passes = answer.schedulable != Some(false)
        && fits
        && case
            .problem
            .verdicts(&parts)
            .iter()
            .all(|verdict| verdict.schedulable);
    let sms = passes.then_some(u32::try_from(used).unwrap_or(u32::MAX));
    Ok((sms, numbered))
}

/// Checks that the sizes of the partitions are supported, and that each task is in one partition.
fn check(case: &Case<'_>, parts: &[Part]) -> Result<(), Refusal> {
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
        if let Some(offer) = case.problem.offer()
            && !offer.sizes().contains(&part.sms)
        {
            let expected = "one of `sizes`, the supported partition sizes";
            return Refusal::refuse(format!("partitions[{index}].sms"), part.sms, expected);
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
    match placed.iter().position(|placed| !placed) {
        Some(missing) => {
            let found = format!("no partition for task {missing}");
            Refusal::refuse("partitions", found, "each task in one partition")
        }
        None => Ok(()),
    }
}
