//! The answer of an algorithm of the user, and the test of its partitions.

use std::cell::RefCell;
use std::error;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use serde::Deserialize;

use super::question::Question;
use gpusched_analysis::partitioning::{Stated, no_plan, stated};
use gpusched_model::counted;
use gpusched_model::error::{Refusal, Result};
use gpusched_model::interrupt::Interrupted;
use gpusched_model::plan::Plan;

/// An algorithm of the user: a heuristic that divides the SMs of a GPU, or a schedulability test.
///
/// Each closure of the same form is an algorithm. Several threads call an algorithm at the same time. For equal results in every
/// run, the answer must depend on the question alone. For random choices, derive the seed from [`Origin`](super::Origin).
pub trait OwnAlgorithm: Send + Sync {
    /// Answers one question.
    ///
    /// # Errors
    /// If this method fails, the study or the search ends with an error that names the task set.
    fn answer(&self, question: &Question<'_>) -> std::result::Result<Answer, Fault>;
}

/// Reason why an algorithm of the user fails.
pub type Fault = Box<dyn error::Error + Send + Sync>;

impl<F> OwnAlgorithm for F
where
    F: Fn(&Question<'_>) -> std::result::Result<Answer, Fault> + Send + Sync,
{
    fn answer(&self, question: &Question<'_>) -> std::result::Result<Answer, Fault> {
        self(question)
    }
}

/// Answer about one task set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The word of the algorithm whether the task set is schedulable. gpusched does not test it.
    Schedulable(bool),
    /// Partitions with all tasks. The task set counts as schedulable only if they pass their tests and fit on the GPU.
    Partitions(Vec<Stated>),
}

/// The answer of a command.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    /// Number of the question.
    id: Option<u64>,
    /// Whether the algorithm finds the task set schedulable.
    schedulable: Option<bool>,
    /// Partitions, which gpusched tests.
    partitions: Option<Vec<Stated>>,
}

impl Answer {
    /// Reads an answer in JSON: `{"schedulable": true}` or `{"partitions": [{"sms": 8, "tasks": [0, 1]}]}`. With both fields,
    /// the partitions count unless `schedulable` is false.
    ///
    /// # Errors
    /// Fails if `text` is no such object.
    pub fn read(text: &str) -> std::result::Result<Answer, Refusal> {
        Answer::numbered(text).map(|(answer, _)| answer)
    }

    /// Reads an answer in JSON, and the number of the question if the answer repeats it.
    pub(crate) fn numbered(text: &str) -> std::result::Result<(Answer, Option<u64>), Refusal> {
        let line: Line = serde_json::from_str(text).map_err(|error| match error.is_data() {
            true => Refusal::told("", error),
            false => Refusal::new(
                "",
                format!("no JSON ({error})"),
                "one line of JSON; messages of a program belong to standard error",
            ),
        })?;
        let answer = match (line.schedulable, line.partitions) {
            (None, None) => {
                let expected = "\"schedulable\", \"partitions\", or both";
                return Refusal::refuse("", "neither field", expected);
            }
            (None | Some(true), Some(parts)) => Answer::Partitions(parts),
            (Some(schedulable), _) => Answer::Schedulable(schedulable),
        };
        Ok((answer, line.id))
    }
}

/// A checked answer.
#[derive(Clone, PartialEq, Debug)]
#[expect(clippy::large_enum_variant, reason = "the value lives for one task set")]
pub enum Judged {
    /// The word of the algorithm.
    Said(bool),
    /// The plan with the stated partitions, and their verdicts.
    Tested(Plan),
}

/// Tests the partitions of `answer`.
///
/// # Errors
/// Fails if the partitions do not contain each task once, or have unsupported sizes.
pub(crate) fn judged(question: &Question<'_>, answer: Answer) -> std::result::Result<Judged, Refusal> {
    Ok(match answer {
        Answer::Schedulable(word) => Judged::Said(word),
        Answer::Partitions(parts) => Judged::Tested(stated(question.problem, &parts)?),
    })
}

/// Largest number of tasks of a partition in a message.
const MOST_TASKS: usize = 8;

/// Returns the reason why `plan`, with the partitions of an algorithm of the user, is not schedulable.
pub(crate) fn rejection(plan: &Plan) -> String {
    let capacity = plan.capacity();
    if plan.partitions.is_empty() {
        return format!(
            "a partition has more SMs than the GPU, which has {}",
            plan.gpu_sms
        );
    }
    if let Some(partition) = { plan.partitions.iter() }.find(|partition| !partition.verdict.schedulable) {
        let tasks = partition.tasks.iter().take(MOST_TASKS);
        let tasks: Vec<String> = tasks.map(|task| format!("#{task}")).collect();
        let more = if partition.tasks.len() > MOST_TASKS {
            ", …"
        } else {
            ""
        };
        let sms = counted(partition.sms, "SM");
        let tasks = tasks.join(", ");
        return format!(
            "partition of {sms} with {tasks}{more}: {}",
            partition.verdict.evidence
        );
    }
    match plan.sms_used > capacity {
        true => format!(
            "the partitions have {} SMs, but the GPU has {capacity}",
            plan.sms_used
        ),
        false => "the partitions have no placement on the GPU".to_owned(),
    }
}

/// Returns the refusal of an answer, which the parameter or the field `name` has given.
pub(crate) fn refused(name: &str, question: &Question<'_>, refusal: &Refusal) -> Refusal {
    Refusal::told(name, format!("the answer for {question}: {refusal}"))
}

/// Returns the plan that `algorithm` finds, and the reason if gpusched rejects its partitions. Messages call the algorithm `name`.
///
/// # Errors
/// Fails if the algorithm fails, if it states partitions that do not contain each task once, or if it states that the
/// task set is schedulable, but no partitions.
pub fn plan(
    name: &str,
    algorithm: &dyn OwnAlgorithm,
    question: &Question<'_>,
) -> Result<(Plan, Option<String>)> {
    let answer = asked(name, algorithm, question)?;
    match judged(question, answer).map_err(|refusal| refused(name, question, &refusal))? {
        Judged::Tested(plan) => {
            let reason = (!plan.schedulable).then(|| rejection(&plan));
            Ok((plan, reason))
        }
        Judged::Said(false) => Ok((no_plan(question.problem), None)),
        Judged::Said(true) => {
            let refusal = Refusal::new("", "true", "partitions, because a plan states them");
            Err(refused(name, question, &refusal).into())
        }
    }
}

thread_local! {
    /// While this thread executes an algorithm of the user: the message of a panic, or an empty text.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Takes the message of a panic in an algorithm of the user, for a panic hook. Returns `false` if this thread executes no such
/// algorithm. Otherwise, the error of the algorithm contains the message, so the hook needs not write it.
pub fn takes_panic(message: &str) -> bool {
    PANIC.with_borrow_mut(|panic| panic.as_mut().map(|panic| message.clone_into(panic)).is_some())
}

/// Returns the answer of `algorithm`. A panic of the algorithm is a failure that names the task set, as is each other one.
pub(crate) fn asked(name: &str, algorithm: &dyn OwnAlgorithm, question: &Question<'_>) -> Result<Answer> {
    // The algorithm may wait for other threads, and answer another question on this thread meanwhile.
    let before = PANIC.replace(Some(String::new()));
    let answer = catch_unwind(AssertUnwindSafe(|| algorithm.answer(question)));
    let message = PANIC.replace(before).unwrap_or_default();
    let answer = answer.unwrap_or_else(|payload| {
        if payload.is::<Interrupted>() {
            resume_unwind(payload);
        }
        Err(if message.is_empty() {
            "panicked".into()
        } else {
            message.into()
        })
    });
    answer.map_err(|fault| Refusal::told(name, format!("failed for {question}: {fault}")).into())
}
