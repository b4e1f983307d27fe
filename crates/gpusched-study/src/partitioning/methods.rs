//! The methods of the algorithms that a study compares: heuristics of gpusched, and algorithms of the user.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::shape::{Algorithm, SlicedGpu, Variant};
use crate::definition::document::Document;
use crate::definition::files::Files;
use crate::own::{self, Answer, Command, Judged, OwnAlgorithm, Question, Registry, Session};
use crate::work::tally::Tally;
use gpusched_analysis::partitioning::{Heuristic, Stated, Traffic, partition_by};
use gpusched_model::Plan;
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::time::Time;

/// Longest time of a command for one line, by default.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Method of an algorithm.
#[derive(Clone, Debug)]
pub(super) enum Method {
    /// A heuristic, with the treatment of memory traffic.
    Heuristic(Heuristic, Traffic),
    /// Time slices on all SMs.
    TimeSlices(SlicedGpu),
    /// A program of the user.
    Command(Command, Answers),
    /// An algorithm that the calling program registers.
    Function(Function, Answers),
}

/// An algorithm that the calling program registers.
#[derive(Clone)]
pub(super) struct Function {
    /// File of the study, and name of the algorithm.
    name: String,
    /// `None` if the calling program has not registered the algorithm, but only reads results.
    algorithm: Option<Arc<dyn OwnAlgorithm>>,
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Function").field(&self.name).finish()
    }
}

/// The answers of an algorithm of the user so far. All threads share the value.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// Whether the answers for schedulable task sets state partitions; unknown before the first such answer.
    have_partitions: OnceLock<bool>,
    rejected: Mutex<Option<Rejected>>,
}

/// The task sets for which an algorithm of the user states partitions that fail the tests of gpusched, or do not fit on the GPU.
/// These task sets count as not schedulable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rejected {
    /// Number of these task sets.
    pub sets: u64,
    /// Index of the first point with such a task set, from 0.
    pub point: usize,
    /// Index of the first such task set of this point, from 0.
    pub index: u64,
    /// Name of the analysis variant. If several variants reject the first task set, the name is the first in alphabetical order.
    pub variant: String,
    /// Reason for the first task set, as text for display.
    pub reason: String,
}

impl Answers {
    /// Adds the answer to `question`. Checks that all schedulable task sets have partitions, or none: otherwise their mean number
    /// of SMs has no meaning.
    fn add(&self, question: &Question<'_>, judged: &Judged) -> Result<(), Refusal> {
        let found = match judged {
            Judged::Said(true) => false,
            Judged::Tested(plan) if plan.schedulable => true,
            Judged::Tested(plan) => {
                self.reject(question, plan);
                return Ok(());
            }
            Judged::Said(false) => return Ok(()),
        };
        match *self.0.have_partitions.get_or_init(|| found) == found {
            true => Ok(()),
            false => {
                let expected = "partitions for all schedulable task sets, or for none";
                let found = if found { "partitions" } else { "no partitions" };
                Refusal::refuse("", format!("{found}, unlike before"), expected)
            }
        }
    }

    /// Counts a task set whose partitions are rejected.
    fn reject(&self, question: &Question<'_>, plan: &Plan) {
        let Some(at) = question.origin else { return };
        let mut rejected = self.rejected();
        let sets = 1 + rejected.as_ref().map_or(0, |rejected| rejected.sets);
        // The order of the answers depends on the threads.
        let is_first = rejected.as_ref().is_none_or(|first| {
            (at.point, at.index, at.variant) < (first.point, first.index, first.variant.as_str())
        });
        match rejected.as_mut().filter(|_| !is_first) {
            Some(rejected) => rejected.sets = sets,
            None => {
                *rejected = Some(Rejected {
                    sets,
                    point: at.point,
                    index: at.index,
                    variant: at.variant.to_owned(),
                    reason: own::rejection(plan),
                });
            }
        }
    }

    fn rejected(&self) -> MutexGuard<'_, Option<Rejected>> {
        self.0.rejected.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Result of an algorithm for one task set.
pub(super) struct Solved {
    pub tally: Tally,
    /// Partitions of the plan; `None` if the algorithm states none.
    pub partitions: Option<Vec<Stated>>,
}

impl Solved {
    fn of_plan(plan: &Plan) -> Solved {
        let stated = |partition: &gpusched_model::plan::Partition| Stated {
            sms: partition.sms,
            tasks: partition.tasks.clone(),
        };
        Solved {
            tally: Tally::of_plan(plan),
            partitions: Some(plan.partitions.iter().map(stated).collect()),
        }
    }

    fn of_own(judged: &Judged, ns: u64) -> Solved {
        let solved = match judged {
            Judged::Tested(plan) => Solved::of_plan(plan),
            Judged::Said(word) => Solved {
                tally: Tally::of_word(*word),
                partitions: None,
            },
        };
        Solved {
            tally: Tally {
                search_ns: ns,
                ..solved.tally
            },
            ..solved
        }
    }
}

impl Method {
    /// Returns the session of a command.
    pub fn session(&self) -> Option<Session<'_>> {
        match self {
            Method::Command(command, _) => Some(command.session()),
            _ => None,
        }
    }

    /// Returns the task sets of this process whose partitions are rejected, or `None` without such task sets.
    pub fn rejected(&self) -> Option<Rejected> {
        match self {
            Method::Heuristic(..) | Method::TimeSlices(_) => None,
            Method::Command(_, answers) | Method::Function(_, answers) => answers.rejected().clone(),
        }
    }

    /// Applies the method to all `questions` of `variant`, in their order. A command uses its `session`. Returns `None` if the run
    /// was stopped.
    ///
    /// # Errors
    /// Fails if an algorithm of the user fails, or gives a wrong answer.
    pub fn solve(
        &self,
        variant: &Variant,
        session: Option<&mut Session<'_>>,
        questions: &[Question<'_>],
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<Solved>>> {
        let one: &dyn Fn(&Question<'_>) -> Result<Solved> = match (self, session) {
            (Method::Heuristic(heuristic, traffic), _) => &|question| {
                let plan = partition_by(question.problem, heuristic, *traffic);
                Ok(Solved::of_plan(&plan))
            },
            (Method::TimeSlices(gpu), _) => &|question| {
                let begin = Instant::now();
                let accepted = gpu.accepts(question.set, question.problem.sms(), variant);
                let accepted = accepted.map_err(|refusal| {
                    Refusal::told("time_slices", format!("failed for {question}: {refusal}"))
                })?;
                Ok(Solved::of_own(&Judged::Said(accepted), since(begin)))
            },
            (Method::Function(function, answers), _) => &|question| function.solve(question, answers),
            (Method::Command(_, answers), Some(session)) => {
                let mut asked = Asked {
                    questions,
                    answers,
                    solved: Vec::with_capacity(questions.len()),
                };
                let answered = session.ask(&mut asked, goes_on)?;
                return Ok(answered.map(|()| asked.solved));
            }
            (Method::Command(..), None) => {
                return Err(Error::Internal("a command without a session".to_owned()));
            }
        };
        let mut solved = Vec::with_capacity(questions.len());
        for question in questions {
            if !goes_on() {
                return Ok(None);
            }
            solved.push(one(question)?);
        }
        Ok(Some(solved))
    }
}

/// Returns the time since `begin` [ns].
fn since(begin: Instant) -> u64 {
    u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

impl Function {
    fn solve(&self, question: &Question<'_>, answers: &Answers) -> Result<Solved> {
        let Some(algorithm) = &self.algorithm else {
            let found = "a function of another program";
            let expected =
                "a program that registers the function, such as `gs.study.run(…, algorithms=…)` in Python";
            return Err(Refusal::new(&self.name, found, expected).into());
        };
        let begin = Instant::now();
        let answer = own::asked(&self.name, &**algorithm, question)?;
        let ns = since(begin);
        let judged = own::judged(question, answer);
        let judged = judged.and_then(|judged| answers.add(question, &judged).map(|()| judged));
        let judged = judged.map_err(|refusal| own::refused(&self.name, question, &refusal))?;
        Ok(Solved::of_own(&judged, ns))
    }
}

/// Task sets for a command.
struct Asked<'a> {
    questions: &'a [Question<'a>],
    answers: &'a Answers,
    solved: Vec<Solved>,
}

impl own::Questions for Asked<'_> {
    fn count(&self) -> usize {
        self.questions.len()
    }

    fn place(&self, index: usize) -> String {
        self.questions
            .get(index)
            .map_or(String::new(), ToString::to_string)
    }

    fn line(&self, index: usize, id: u64, line: &mut Vec<u8>) -> serde_json::Result<()> {
        let question = self.questions.get(index);
        question.map_or(Ok(()), |question| question.line(id, None, line))
    }

    fn take(&mut self, index: usize, line: &str, ns: u64) -> Result<Option<u64>, Refusal> {
        let Some(question) = self.questions.get(index) else {
            return Ok(None);
        };
        let (answer, id) = Answer::numbered(line)?;
        let judged = own::judged(question, answer)?;
        self.answers.add(question, &judged)?;
        self.solved.push(Solved::of_own(&judged, ns));
        Ok(id)
    }
}

/// Returns the method of each algorithm: its heuristic, its time slices, its command, or its function.
pub(super) fn methods(
    document: &Document,
    algorithms: &[Algorithm],
    heuristics: Vec<Option<Heuristic>>,
    registry: &Registry,
    files: &mut Files,
) -> Result<Vec<Method>> {
    let algorithms = algorithms.iter().zip(heuristics).enumerate();
    let method = |(index, (algorithm, heuristic)): (usize, (&Algorithm, Option<Heuristic>))| {
        if let Some(heuristic) = heuristic {
            return Ok(Method::Heuristic(heuristic, algorithm.traffic));
        }
        if let Some(gpu) = &algorithm.time_slices {
            return Ok(Method::TimeSlices(gpu.clone()));
        }
        let name = format!("{}: algorithm {:?}", document.file, algorithm.name);
        if let Some(version) = &algorithm.function {
            let entries = registry.entries().iter();
            let entry = { entries }.find(|entry| entry.name == algorithm.name);
            if let Some(entry) = entry.filter(|entry| entry.version != *version) {
                let expected = format!("{:?}, the registered function", entry.version);
                let refusal = Refusal::new(
                    format!("algorithm[{index}].function"),
                    format!("{version:?}"),
                    expected,
                );
                return Err(document.error(refusal));
            }
            let algorithm = entry.map(|entry| entry.algorithm.clone());
            return Ok(Method::Function(Function { name, algorithm }, Answers::default()));
        }
        let field = format!("algorithm[{index}].command");
        let command = command(
            document,
            (name, &field),
            (&algorithm.command, algorithm.timeout),
            files,
        )?;
        Ok(Method::Command(command, Answers::default()))
    };
    algorithms.map(method).collect()
}

/// Returns the command of `arguments`, which the study states in `field`. Messages during a run call it `name`.
///
/// # Errors
/// Fails if a file that the command names cannot be read.
pub(super) fn command(
    document: &Document,
    (name, field): (String, &str),
    (arguments, timeout): (&[String], Option<Time>),
    files: &mut Files,
) -> Result<Command> {
    let arguments = arguments.iter().map(|argument| files.argument(argument));
    let arguments: Result<Vec<String>, String> = arguments.collect();
    let arguments = arguments.map_err(|message| document.error(Refusal::told(field, message)))?;
    let timeout = timeout.map_or(TIMEOUT, |time| Duration::from_nanos(time.ns()));
    Ok(Command::new(name, arguments, timeout))
}
