//! The methods of the algorithms that a study compares: heuristics of gpusched, and algorithms of the user.

use std::sync::{Arc, OnceLock};
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
    Command(Command, Kind),
    /// An algorithm that the calling program registers.
    Function(Function, Kind),
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

/// Whether the answers for schedulable task sets state partitions; unknown before the first such answer. All threads share the
/// value.
#[derive(Clone, Debug, Default)]
pub(super) struct Kind(Arc<OnceLock<bool>>);

impl Kind {
    /// Checks that all schedulable task sets have partitions, or none: otherwise their mean number of SMs has no meaning.
    fn check(&self, judged: &Judged) -> Result<(), Refusal> {
        let found = match judged {
            Judged::Said(true) => false,
            Judged::Tested(plan) if plan.schedulable => true,
            _ => return Ok(()),
        };
        match *self.0.get_or_init(|| found) == found {
            true => Ok(()),
            false => {
                let expected = "partitions for all schedulable task sets, or for none";
                let found = if found { "partitions" } else { "no partitions" };
                Refusal::refuse("", format!("{found}, unlike before"), expected)
            }
        }
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
                let accepted = gpu.accepts(question.set, question.problem.sms(), variant)?;
                Ok(Solved::of_own(&Judged::Said(accepted), since(begin)))
            },
            (Method::Function(function, kind), _) => &|question| function.solve(question, kind),
            (Method::Command(_, kind), Some(session)) => {
                let mut asked = Asked {
                    questions,
                    kind,
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
    fn solve(&self, question: &Question<'_>, kind: &Kind) -> Result<Solved> {
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
        let judged = judged.and_then(|judged| kind.check(&judged).map(|()| judged));
        let judged = judged.map_err(|refusal| own::refused(&self.name, question, &refusal))?;
        Ok(Solved::of_own(&judged, ns))
    }
}

/// Task sets for a command.
struct Asked<'a> {
    questions: &'a [Question<'a>],
    kind: &'a Kind,
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

    fn line(&self, index: usize, id: u64) -> serde_json::Result<Vec<u8>> {
        let question = self.questions.get(index);
        question.map_or(Ok(Vec::new()), |question| question.line(id, None))
    }

    fn take(&mut self, index: usize, line: &str, ns: u64) -> Result<Option<u64>, Refusal> {
        let Some(question) = self.questions.get(index) else {
            return Ok(None);
        };
        let (answer, id) = Answer::numbered(line)?;
        let judged = own::judged(question, answer)?;
        self.kind.check(&judged)?;
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
            return Ok(Method::Function(Function { name, algorithm }, Kind::default()));
        }
        let field = format!("algorithm[{index}].command");
        let command = command(
            document,
            (name, &field),
            (&algorithm.command, algorithm.timeout),
            files,
        )?;
        Ok(Method::Command(command, Kind::default()))
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
